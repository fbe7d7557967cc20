import { logDays } from "../../basics/limits/limits-in-texts.ts";
import { languageNames } from "../../basics/locale.ts";
import { filter, named } from "../command-text.ts";
import type { Texts } from "../shape.ts";

export const commands: Texts["commands"] = {
  store: {
    ...named("tienda", "Conecta este servidor con tu tienda"),
    subcommands: {
      connect: named("conectar", "Conecta tu tienda con el token de la API"),
      status: named("estado", "Muestra si la conexión con tu tienda funciona"),
      settings: {
        ...named("ajustes", "Define cómo se muestran los importes, los clientes y los días"),
        options: {
          currency: named("moneda", "Moneda de tus precios, como USD, EUR o MXN"),
          language: {
            ...named("idioma", "Idioma de los mensajes en los canales de este servidor"),
            choices: languageNames,
          },
          privacy: {
            ...named("privacidad", "Qué datos del cliente se muestran en los canales"),
            choices: { none: "No se muestran", masked: "Ocultos en parte", full: "Completos" },
          },
          staff: named("equipo", "Rol cuyos miembros también pueden usar el bot"),
          timezone: named(
            "zona",
            "Zona horaria de los días, el período de silencio y los resúmenes, como America/Bogota",
          ),
        },
      },
      disconnect: named("desconectar", "Borra el token de la API y todo lo guardado sobre este servidor"),
      log: named("registro", `Muestra quién cambió qué en los últimos ${logDays} días`),
    },
  },
  alerts: {
    ...named("avisos", "Avisos de pedidos nuevos"),
    subcommands: {
      set: {
        ...named("activar", "Publica los pedidos nuevos en un canal a partir de ahora"),
        options: {
          channel: named("canal", "Dónde se publican los pedidos nuevos"),
          role: named("rol", "Rol que se menciona en cada aviso"),
          statuses: named("estados", "Estados que generan aviso, separados por comas (por defecto: Pendiente)"),
        },
      },
      off: named("desactivar", "Deja de publicar pedidos nuevos"),
      status: named("estado", "Muestra si los avisos funcionan"),
      test: named("probar", "Publica un aviso de muestra"),
      remind: {
        ...named("recordar", "Recuerda en el canal los pedidos que nadie atiende"),
        options: {
          after: named("después", "Cuánto tiempo después del aviso, como 30 minutos; off desactiva los recordatorios"),
          quiet: named("silencio", "Horario sin recordatorios, como 22-8"),
          timezone: named("zona", "Zona horaria del período de silencio, si no es la del servidor"),
        },
      },
    },
    groups: {
      route: {
        ...named("ruta", "Reglas sobre adónde van los pedidos"),
        subcommands: {
          add: {
            ...named("agregar", "Envía algunos pedidos a otro canal o los muestra a todos"),
            options: {
              name: named("nombre", "Nombre de la regla"),
              channel: named("canal", "Adónde van estos pedidos"),
              style: {
                ...named("estilo", "Un aviso para tu equipo o un mensaje corto para todos"),
                choices: { staff: "Aviso para el equipo", feed: "Mensaje público sin el cliente" },
              },
              role: named("rol", "Rol que se menciona en cada pedido"),
              status: named("estado", "Pedidos que pasan a este estado (si lo omites: pedidos nuevos)"),
              product: named("producto", "Solo pedidos con este producto"),
              category: named("categoría", "Solo pedidos con un producto de esta categoría"),
              method: named("pago", "Solo pedidos con esto en el método de pago"),
              from: named("desde", "Solo pedidos con este total o más, como 100 o 1234.50"),
              to: named("hasta", "Solo pedidos con este total o menos"),
              items: named("unidades", "Solo pedidos con esta cantidad de unidades o más"),
              amount: named("importe", "En un mensaje público: muestra el total"),
            },
          },
          list: named("listar", "Muestra las reglas en orden"),
          move: {
            ...named("mover", "Cambia el orden: el aviso sigue la primera regla que se cumpla"),
            options: {
              name: named("nombre", "La regla"),
              position: named("posición", "Su nueva posición; 1 es la primera"),
            },
          },
          remove: { ...named("quitar", "Borra una regla"), options: { name: named("nombre", "La regla") } },
          test: {
            ...named("probar", "Muestra adónde iría un pedido y por qué"),
            options: { order: named("pedido", "El ID del pedido") },
          },
        },
      },
    },
  },
  orders: {
    ...named("pedidos", "Lista los pedidos de tu tienda"),
    options: {
      status: named("estado", "Solo estos estados, separados por comas"),
      email: filter("correo", "Solo pedidos del cliente con este correo", "Correo"),
      handling: {
        ...filter("atención", "Solo pedidos que atiendes tú, que nadie atiende o que atiende otra persona", "Atención"),
        choices: { mine: "Míos", free: "Libres", someones: "De otros" },
      },
      page: named("página", "Desde qué página"),
    },
  },
  order: {
    ...named("pedido", "Muestra un pedido"),
    options: { id: named("id", "El ID del pedido") },
  },
  customer: {
    ...named("cliente", "Muestra todos los pedidos de un cliente"),
    options: { email: named("correo", "El correo del cliente") },
  },
  products: {
    ...named("productos", "Lista los productos de tu tienda"),
    options: {
      title: named("título", "Solo productos con esto en el título"),
      category: named("categoría", "Solo productos de esta categoría"),
      page: named("página", "Desde qué página"),
    },
  },
  export: {
    ...named("exportar", "Descarga los pedidos o productos de tu tienda en un archivo CSV"),
    subcommands: {
      orders: {
        ...named("pedidos", "Descarga pedidos en un archivo CSV que solo ves tú"),
        options: {
          status: named("estado", "Solo estos estados, separados por comas"),
          from: named("desde", "Primer día, como 2026-11-21 o ayer"),
          to: named("hasta", "Último día, como 2026-11-21 u hoy"),
        },
      },
      products: named("productos", "Descarga todos los productos en un archivo CSV que solo ves tú"),
    },
  },

  stats: {
    ...named("estadísticas", "Muestra las ventas de un período, en comparación con el anterior (solo tú las ves)"),
    options: {
      period: {
        ...named("período", "Qué período"),
        choices: { today: "Hoy hasta ahora", yesterday: "Ayer", week: "Últimos 7 días", month: "Últimos 30 días" },
      },
    },
  },
  digest: {
    ...named("resumen", "Un resumen diario o semanal de las ventas"),
    subcommands: {
      set: {
        ...named("activar", "Publica el resumen en un canal cada día o cada semana"),
        options: {
          channel: named("canal", "Dónde se publica"),
          every: { ...named("frecuencia", "Cada cuánto"), choices: { day: "Cada día", week: "Cada lunes" } },
          hour: named("hora", "Hora del día, de 0 a 23"),
          timezone: named("zona", "Zona horaria del resumen, si no es la del servidor, como America/Mexico_City"),
        },
      },
      off: named("desactivar", "Deja de publicar el resumen"),
    },
  },
  "add-product": {
    ...named("agregar-producto", "Agrega un producto a tu tienda"),
    options: {
      title: named("título", "Título del producto"),
      price: named("precio", "Precio de venta, como 49.90 o 49,90"),
      category: named("categoría", "Categoría: elige una o pega su ID"),
      "compare-at": named("precio-anterior", "Precio antes del descuento, que se muestra tachado"),
      image: named("imagen", "Enlace de una imagen (https://…), o varios separados por espacios"),
      youtube: named("youtube", "Enlace de un video de YouTube"),
      "min-quantity": named("cantidad-mínima", "Cantidad mínima por compra"),
      "hide-sales": named("ocultar-ventas", "Oculta el número de ventas"),
      "hide-product": named("ocultar-producto", "Oculta el producto en la tienda"),
      chat: named("chat", "Abre un chat con el cliente después de la compra"),
    },
  },
  "import-products": {
    ...named("importar-productos", "Crea muchos productos desde un archivo CSV, cada uno una sola vez"),
    options: { file: named("archivo", "El archivo CSV, como el de /exportar productos") },
  },
};

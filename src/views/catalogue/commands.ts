import type { Locale } from "../../basics/locale.ts";
import { type CommandText, type Mirror, named } from "./command-text.ts";
import { figureCommands } from "./figure-commands.ts";
import { routeCommands } from "./route-commands.ts";

/** Each in its own language: whoever looks for it can read that. */
const languages = { en: "English", "pt-BR": "Português (Brasil)", es: "Español" };

const en = {
  store: {
    ...named("store", "Connect this server to your store"),
    subcommands: {
      connect: named("connect", "Connect your store with its API token"),
      status: named("status", "Check the connection to your store"),
      settings: {
        ...named("settings", "Choose how money, customers and days are shown"),
        options: {
          currency: named("currency", "Currency of your prices, such as USD, EUR or BRL"),
          language: {
            ...named("language", "Language of the messages in this server's channels"),
            choices: languages,
          },
          privacy: {
            ...named("privacy", "Which customer details channels show"),
            choices: { none: "Not shown", masked: "Partly hidden", full: "In full" },
          },
          staff: named("staff", "Role whose members can use the bot too"),
          timezone: named("timezone", "Time zone of days, quiet hours and digests, such as America/Sao_Paulo"),
        },
      },
      disconnect: named("disconnect", "Delete the API token and everything stored for this server"),
      log: named("log", "Show who changed what in the last 90 days"),
    },
  },
  alerts: {
    ...named("alerts", "New-order alerts"),
    subcommands: {
      set: {
        ...named("set", "Post new orders in a channel from now on"),
        options: {
          channel: named("channel", "Where new orders are posted"),
          role: named("role", "Role to mention with each alert"),
          statuses: named("statuses", "Statuses that trigger an alert, separated by commas (default: Pending)"),
        },
      },
      off: named("off", "Stop posting new orders"),
      status: named("status", "Check the alerts"),
      test: named("test", "Post a sample alert"),
      remind: {
        ...named("remind", "Remind the channel of orders that nobody took"),
        options: {
          after: named("after", "How long after the alert, such as 30 minutes, or off"),
          quiet: named("quiet", "Hours without reminders, such as 22-8"),
          timezone: named("timezone", "Time zone of the quiet hours, if not the server's"),
        },
      },
    },
    groups: { route: routeCommands.en },
  },
  orders: {
    ...named("orders", "List your store's orders"),
    options: {
      status: named("status", "Only these statuses, separated by commas"),
      email: named("email", "Only orders of the customer with this e-mail address"),
      handling: {
        ...named("handling", "Only orders that you took, nobody took, or somebody else took"),
        choices: { mine: "Mine", free: "Free", someones: "Someone's" },
      },
      page: named("page", "Page to start with"),
    },
  },
  order: {
    ...named("order", "Show one order"),
    options: { id: named("id", "The order's ID") },
  },
  customer: {
    ...named("customer", "Show all orders of one customer"),
    options: { email: named("email", "The customer's e-mail address") },
  },
  products: {
    ...named("products", "List your store's products"),
    options: {
      title: named("title", "Only products with this in the title"),
      category: named("category", "Only products of this category"),
      page: named("page", "Page to start with"),
    },
  },
  export: {
    ...named("export", "Get your store's orders or products as a CSV file"),
    subcommands: {
      orders: {
        ...named("orders", "Get orders as a CSV file that only you see"),
        options: {
          status: named("status", "Only these statuses, separated by commas"),
          from: named("from", "First day, such as 2026-11-21 or yesterday"),
          to: named("to", "Last day, such as 2026-11-21 or today"),
        },
      },
      products: named("products", "Get all products as a CSV file that only you see"),
    },
  },
  ...figureCommands.en,
  "add-product": {
    ...named("add-product", "Add a product to your store"),
    options: {
      title: named("title", "Title of the product"),
      price: named("price", "Selling price, such as 49.90"),
      category: named("category", "Category: choose one or paste its ID"),
      "compare-at": named("compare-at", "Price before the discount, shown struck through"),
      image: named("image", "Link to a picture (https://…), or several separated by spaces"),
      youtube: named("youtube", "Link to a YouTube video"),
      "min-quantity": named("min-quantity", "Smallest quantity per purchase"),
      "hide-sales": named("hide-sales", "Hide the number of sales"),
      "hide-product": named("hide-product", "Hide the product in the store"),
      chat: named("chat", "Open a chat with the customer after a purchase"),
    },
  },
  "import-products": {
    ...named("import-products", "Create many products from a CSV file, each only once"),
    options: { file: named("file", "The CSV file, as /export products gives it") },
  },
} as const;

const ptBR: Mirror<typeof en> = {
  store: {
    ...named("loja", "Conecta este servidor à sua loja"),
    subcommands: {
      connect: named("conectar", "Conecta a sua loja com o token da API"),
      status: named("situação", "Mostra se a conexão com a sua loja funciona"),
      settings: {
        ...named("configurar", "Define como os valores, os clientes e os dias aparecem"),
        options: {
          currency: named("moeda", "Moeda dos seus preços, como BRL, USD ou EUR"),
          language: {
            ...named("idioma", "Idioma das mensagens nos canais deste servidor"),
            choices: languages,
          },
          privacy: {
            ...named("privacidade", "Quais dados do cliente aparecem nos canais"),
            choices: { none: "Não mostrar", masked: "Parcialmente ocultos", full: "Completos" },
          },
          staff: named("equipe", "Cargo cujos membros também podem usar o bot"),
          timezone: named(
            "fuso",
            "Fuso horário dos dias, do período de silêncio e dos resumos, como America/Sao_Paulo",
          ),
        },
      },
      disconnect: named("desconectar", "Apaga o token da API e tudo o que está guardado sobre este servidor"),
      log: named("registro", "Mostra quem mudou o quê nos últimos 90 dias"),
    },
  },
  alerts: {
    ...named("avisos", "Avisos de novos pedidos"),
    subcommands: {
      set: {
        ...named("definir", "Publica novos pedidos em um canal a partir de agora"),
        options: {
          channel: named("canal", "Onde os novos pedidos são publicados"),
          role: named("cargo", "Cargo a mencionar em cada aviso"),
          statuses: named("status", "Status que geram aviso, separados por vírgula (padrão: Pendente)"),
        },
      },
      off: named("desativar", "Para de publicar novos pedidos"),
      status: named("situação", "Mostra se os avisos funcionam"),
      test: named("testar", "Publica um aviso de exemplo"),
      remind: {
        ...named("lembrar", "Lembra o canal de pedidos que ninguém assumiu"),
        options: {
          after: named("após", "Quanto tempo após o aviso, como 30 minutos; ou off"),
          quiet: named("silêncio", "Horário sem lembretes, como 22-8"),
          timezone: named("fuso", "Fuso horário do período de silêncio, se não for o do servidor"),
        },
      },
    },
    groups: { route: routeCommands.ptBR },
  },
  orders: {
    ...named("pedidos", "Lista os pedidos da sua loja"),
    options: {
      status: named("status", "Só estes status, separados por vírgula"),
      email: named("email", "Só pedidos do cliente com este e-mail"),
      handling: {
        ...named("atendimento", "Só pedidos que você assumiu, que ninguém assumiu ou que outra pessoa assumiu"),
        choices: { mine: "Meus", free: "Livres", someones: "De outros" },
      },
      page: named("página", "A partir de qual página"),
    },
  },
  order: {
    ...named("pedido", "Mostra um pedido"),
    options: { id: named("id", "O ID do pedido") },
  },
  customer: {
    ...named("cliente", "Mostra todos os pedidos de um cliente"),
    options: { email: named("email", "O e-mail do cliente") },
  },
  products: {
    ...named("produtos", "Lista os produtos da sua loja"),
    options: {
      title: named("título", "Só produtos com isto no título"),
      category: named("categoria", "Só produtos desta categoria"),
      page: named("página", "A partir de qual página"),
    },
  },
  export: {
    ...named("exportar", "Baixa os pedidos ou produtos da sua loja em um arquivo CSV"),
    subcommands: {
      orders: {
        ...named("pedidos", "Baixa pedidos em um arquivo CSV que só você vê"),
        options: {
          status: named("status", "Só estes status, separados por vírgula"),
          from: named("de", "Primeiro dia, como 2026-11-21 ou ontem"),
          to: named("até", "Último dia, como 2026-11-21 ou hoje"),
        },
      },
      products: named("produtos", "Baixa todos os produtos em um arquivo CSV que só você vê"),
    },
  },
  ...figureCommands.ptBR,
  "add-product": {
    ...named("adicionar-produto", "Adiciona um produto à sua loja"),
    options: {
      title: named("título", "Título do produto"),
      price: named("preço", "Preço de venda, ex.: 49,90"),
      category: named("categoria", "Categoria: escolha uma ou cole o ID"),
      "compare-at": named("preço-original", "Preço antes do desconto, mostrado riscado"),
      image: named("imagem", "Link de uma imagem (https://…), ou vários separados por espaço"),
      youtube: named("youtube", "Link de um vídeo do YouTube"),
      "min-quantity": named("quantidade-mínima", "Quantidade mínima por compra"),
      "hide-sales": named("ocultar-vendas", "Oculta o número de vendas"),
      "hide-product": named("ocultar-produto", "Oculta o produto na loja"),
      chat: named("chat", "Abre um chat com o cliente após a compra"),
    },
  },
  "import-products": {
    ...named("importar-produtos", "Cria vários produtos a partir de um arquivo CSV, cada um uma vez só"),
    options: { file: named("arquivo", "O arquivo CSV, como o de /exportar produtos") },
  },
};

const es: Mirror<typeof en> = {
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
            choices: languages,
          },
          privacy: {
            ...named("privacidad", "Qué datos del cliente se muestran en los canales"),
            choices: { none: "No mostrar", masked: "Ocultos en parte", full: "Completos" },
          },
          staff: named("equipo", "Rol cuyos miembros también pueden usar el bot"),
          timezone: named(
            "zona",
            "Zona horaria de los días, el período de silencio y los resúmenes, como America/Bogota",
          ),
        },
      },
      disconnect: named("desconectar", "Borra el token de la API y todo lo guardado sobre este servidor"),
      log: named("registro", "Muestra quién cambió qué en los últimos 90 días"),
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
          after: named("tras", "Cuánto tiempo después del aviso, como 30 minutos; u off"),
          quiet: named("silencio", "Horario sin recordatorios, como 22-8"),
          timezone: named("zona", "Zona horaria del período de silencio, si no es la del servidor"),
        },
      },
    },
    groups: { route: routeCommands.es },
  },
  orders: {
    ...named("pedidos", "Lista los pedidos de tu tienda"),
    options: {
      status: named("estado", "Solo estos estados, separados por comas"),
      email: named("correo", "Solo pedidos del cliente con este correo"),
      handling: {
        ...named("atención", "Solo pedidos que atiendes tú, que nadie atiende o que atiende otra persona"),
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
  ...figureCommands.es,
  "add-product": {
    ...named("agregar-producto", "Agrega un producto a tu tienda"),
    options: {
      title: named("título", "Título del producto"),
      price: named("precio", "Precio de venta, como 49,90"),
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

/** The commands, options and choices that there are texts for; a command that has others does not compile. */
export type CommandShapes = typeof en;

const all: Readonly<Record<Locale, Readonly<Record<string, CommandText>>>> = { en, "pt-BR": ptBR, es };

/** Names and descriptions of every command, by its English name. */
export function commandTexts(locale: Locale): Readonly<Record<string, CommandText>> {
  return all[locale];
}

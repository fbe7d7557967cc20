import type { Locale } from "../context.ts";

/** Name and description of a command, subcommand or option: names as Discord takes them (lower case, 32 characters), descriptions of at most 100. */
interface NamedText {
  readonly name: string;
  readonly description: string;
}

export interface SubcommandText extends NamedText {
  readonly options?: Readonly<Record<string, NamedText>>;
}

export interface CommandText extends SubcommandText {
  readonly subcommands?: Readonly<Record<string, SubcommandText>>;
}

/** A command's text in English, as the other languages have to mirror it. */
type Mirror<T> = { readonly [Key in keyof T]: T[Key] extends string ? string : Mirror<T[Key]> };

const named = <const N extends string>(name: N, description: string) => ({ name, description });

const en = {
  store: {
    ...named("store", "Connect this server to your store"),
    subcommands: {
      connect: named("connect", "Connect your store with its API token"),
      status: named("status", "Show how the connection to your store is doing"),
      settings: {
        ...named("settings", "Choose how money and customers are shown"),
        options: {
          currency: named("currency", "Currency of your prices, such as USD, EUR or BRL"),
          language: named("language", "Language of the messages in this server's channels"),
          privacy: named("privacy", "How much of a customer is shown"),
          staff: named("staff", "Role whose members may use the bot too"),
        },
      },
      disconnect: named("disconnect", "Delete the API token and all that is kept for this server"),
    },
  },
  alerts: {
    ...named("alerts", "Messages that ring for new orders"),
    subcommands: {
      set: {
        ...named("set", "Post new orders in a channel from now on"),
        options: {
          channel: named("channel", "Where new orders are posted"),
          role: named("role", "Role to mention with each alert"),
          statuses: named("statuses", "Statuses that ring, separated by commas (PENDING if left out)"),
        },
      },
      off: named("off", "Stop posting new orders"),
      status: named("status", "Show how the alerts are doing"),
      test: named("test", "Post a sample alert"),
    },
  },
  orders: {
    ...named("orders", "List your store's orders"),
    options: {
      status: named("status", "Only these statuses, separated by commas"),
      email: named("email", "Only orders of the customer with this e-mail address"),
      page: named("page", "Page to begin with"),
    },
  },
  order: {
    ...named("order", "Show one order"),
    options: { id: named("id", "The order's id") },
  },
  products: {
    ...named("products", "List your store's products"),
    options: {
      title: named("title", "Only products whose title has this in it"),
      category: named("category", "Only products of this category"),
      page: named("page", "Page to begin with"),
    },
  },
  "add-product": {
    ...named("add-product", "Add a product to your store"),
    options: {
      title: named("title", "Title of the product"),
      price: named("price", "Selling price, such as 9.90"),
      category: named("category", "Category: choose one or paste its id"),
      "compare-at": named("compare-at", "Higher price to show struck through"),
      image: named("image", "Address of a picture (https://…), or several separated by spaces"),
      youtube: named("youtube", "Address of a YouTube video"),
      "min-quantity": named("min-quantity", "Smallest quantity a customer can buy"),
      "hide-sales": named("hide-sales", "Hide how often it was sold"),
      "hide-product": named("hide-product", "Hide the product in the store"),
      chat: named("chat", "Open a chat with the customer after a purchase"),
    },
  },
} as const;

const ptBR: Mirror<typeof en> = {
  store: {
    ...named("loja", "Conecte este servidor à sua loja"),
    subcommands: {
      connect: named("conectar", "Conecte sua loja com o token da API"),
      status: named("situação", "Mostra como está a conexão com a loja"),
      settings: {
        ...named("configurar", "Escolha como dinheiro e clientes aparecem"),
        options: {
          currency: named("moeda", "Moeda dos seus preços, como BRL, USD ou EUR"),
          language: named("idioma", "Idioma das mensagens nos canais deste servidor"),
          privacy: named("privacidade", "Quanto de um cliente aparece"),
          staff: named("equipe", "Cargo cujos membros também podem usar o bot"),
        },
      },
      disconnect: named("desconectar", "Apaga o token da API e tudo o que está guardado deste servidor"),
    },
  },
  alerts: {
    ...named("avisos", "Mensagens que avisam de novos pedidos"),
    subcommands: {
      set: {
        ...named("definir", "Publica novos pedidos em um canal a partir de agora"),
        options: {
          channel: named("canal", "Onde os novos pedidos são publicados"),
          role: named("cargo", "Cargo a mencionar em cada aviso"),
          statuses: named("status", "Status que avisam, separados por vírgulas (PENDING se omitido)"),
        },
      },
      off: named("desligar", "Para de publicar novos pedidos"),
      status: named("situação", "Mostra como estão os avisos"),
      test: named("testar", "Publica um aviso de exemplo"),
    },
  },
  orders: {
    ...named("pedidos", "Lista os pedidos da sua loja"),
    options: {
      status: named("status", "Somente estes status, separados por vírgulas"),
      email: named("email", "Somente pedidos do cliente com este e-mail"),
      page: named("página", "Página inicial"),
    },
  },
  order: {
    ...named("pedido", "Mostra um pedido"),
    options: { id: named("id", "O ID do pedido") },
  },
  products: {
    ...named("produtos", "Lista os produtos da sua loja"),
    options: {
      title: named("título", "Somente produtos com isto no título"),
      category: named("categoria", "Somente produtos desta categoria"),
      page: named("página", "Página inicial"),
    },
  },
  "add-product": {
    ...named("adicionar-produto", "Adiciona um produto à sua loja"),
    options: {
      title: named("título", "Título do produto"),
      price: named("preço", "Preço de venda, como 9.90"),
      category: named("categoria", "Categoria: escolha uma ou cole o ID"),
      "compare-at": named("preço-original", "Preço maior, mostrado riscado"),
      image: named("imagem", "Endereço de uma imagem (https://…), ou vários separados por espaços"),
      youtube: named("youtube", "Endereço de um vídeo do YouTube"),
      "min-quantity": named("quantidade-mínima", "Menor quantidade que um cliente pode comprar"),
      "hide-sales": named("ocultar-vendas", "Oculta quantas vezes foi vendido"),
      "hide-product": named("ocultar-produto", "Oculta o produto na loja"),
      chat: named("chat", "Abre um chat com o cliente após a compra"),
    },
  },
};

const es: Mirror<typeof en> = {
  store: {
    ...named("tienda", "Conecta este servidor con tu tienda"),
    subcommands: {
      connect: named("conectar", "Conecta tu tienda con su token de la API"),
      status: named("estado", "Muestra cómo va la conexión con la tienda"),
      settings: {
        ...named("ajustes", "Elige cómo se muestran el dinero y los clientes"),
        options: {
          currency: named("moneda", "Moneda de tus precios, como USD, EUR o MXN"),
          language: named("idioma", "Idioma de los mensajes en los canales de este servidor"),
          privacy: named("privacidad", "Cuánto se muestra de un cliente"),
          staff: named("equipo", "Rol cuyos miembros también pueden usar el bot"),
        },
      },
      disconnect: named("desconectar", "Borra el token de la API y todo lo guardado de este servidor"),
    },
  },
  alerts: {
    ...named("avisos", "Mensajes que avisan de pedidos nuevos"),
    subcommands: {
      set: {
        ...named("fijar", "Publica los pedidos nuevos en un canal desde ahora"),
        options: {
          channel: named("canal", "Dónde se publican los pedidos nuevos"),
          role: named("rol", "Rol que se menciona en cada aviso"),
          statuses: named("estados", "Estados que avisan, separados por comas (PENDING si se omite)"),
        },
      },
      off: named("apagar", "Deja de publicar pedidos nuevos"),
      status: named("estado", "Muestra cómo van los avisos"),
      test: named("probar", "Publica un aviso de muestra"),
    },
  },
  orders: {
    ...named("pedidos", "Lista los pedidos de tu tienda"),
    options: {
      status: named("estado", "Solo estos estados, separados por comas"),
      email: named("correo", "Solo pedidos del cliente con este correo"),
      page: named("página", "Página inicial"),
    },
  },
  order: {
    ...named("pedido", "Muestra un pedido"),
    options: { id: named("id", "El ID del pedido") },
  },
  products: {
    ...named("productos", "Lista los productos de tu tienda"),
    options: {
      title: named("título", "Solo productos con esto en el título"),
      category: named("categoría", "Solo productos de esta categoría"),
      page: named("página", "Página inicial"),
    },
  },
  "add-product": {
    ...named("añadir-producto", "Añade un producto a tu tienda"),
    options: {
      title: named("título", "Título del producto"),
      price: named("precio", "Precio de venta, como 9.90"),
      category: named("categoría", "Categoría: elige una o pega su ID"),
      "compare-at": named("precio-anterior", "Precio mayor, que se muestra tachado"),
      image: named("imagen", "Dirección de una imagen (https://…), o varias separadas por espacios"),
      youtube: named("youtube", "Dirección de un vídeo de YouTube"),
      "min-quantity": named("cantidad-mínima", "Cantidad mínima que un cliente puede comprar"),
      "hide-sales": named("ocultar-ventas", "Oculta cuántas veces se vendió"),
      "hide-product": named("ocultar-producto", "Oculta el producto en la tienda"),
      chat: named("chat", "Abre un chat con el cliente tras la compra"),
    },
  },
};

const all: Readonly<Record<Locale, Readonly<Record<string, CommandText>>>> = { en, "pt-BR": ptBR, es };

/** Names and descriptions of every command, by its English name. */
export function commandTexts(locale: Locale): Readonly<Record<string, CommandText>> {
  return all[locale];
}

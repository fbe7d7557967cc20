import { type Mirror, named } from "./command-text.ts";

const en = {
  ...named("route", "Rules about where orders go"),
  subcommands: {
    add: {
      ...named("add", "Send some orders to another channel, or show them to everyone"),
      options: {
        name: named("name", "Name of the rule"),
        channel: named("channel", "Where these orders go"),
        style: {
          ...named("style", "An alert for your staff, or a short line for everyone"),
          choices: { staff: "Alert for staff", feed: "Public line without customer" },
        },
        role: named("role", "Role to mention with each of them"),
        status: named("status", "Orders that get this status (if left out: new orders)"),
        product: named("product", "Only orders with this product"),
        category: named("category", "Only orders with a product of this category"),
        method: named("method", "Only orders with this in the payment method"),
        from: named("from", "Only orders with this total or more, such as 100 or 1,234.56"),
        to: named("to", "Only orders with this total or less"),
        items: named("items", "Only orders with this many pieces or more"),
        amount: named("amount", "In a public line: show the total"),
      },
    },
    list: named("list", "List the rules in order"),
    move: {
      ...named("move", "Move a rule: an alert follows the first rule that matches"),
      options: {
        name: named("name", "The rule"),
        position: named("position", "Its new position: 1 is the first"),
      },
    },
    remove: { ...named("remove", "Delete a rule"), options: { name: named("name", "The rule") } },
    test: {
      ...named("test", "Show where an order would go, and why"),
      options: { order: named("order", "The order's ID") },
    },
  },
} as const;

const ptBR: Mirror<typeof en> = {
  ...named("rota", "Regras sobre para onde vão os pedidos"),
  subcommands: {
    add: {
      ...named("adicionar", "Envia alguns pedidos para outro canal ou os mostra a todos"),
      options: {
        name: named("nome", "Nome da regra"),
        channel: named("canal", "Para onde vão esses pedidos"),
        style: {
          ...named("estilo", "Um aviso para a equipe ou uma linha curta para todos"),
          choices: { staff: "Aviso para a equipe", feed: "Linha pública sem cliente" },
        },
        role: named("cargo", "Cargo a mencionar em cada pedido"),
        status: named("status", "Pedidos que passam a este status (sem ele: novos pedidos)"),
        product: named("produto", "Só pedidos com este produto"),
        category: named("categoria", "Só pedidos com um produto desta categoria"),
        method: named("pagamento", "Só pedidos com isto na forma de pagamento"),
        from: named("de", "Só pedidos com este total ou mais, como 100 ou 1.234,56"),
        to: named("até", "Só pedidos com este total ou menos"),
        items: named("itens", "Só pedidos com esta quantidade de unidades ou mais"),
        amount: named("valor", "Na linha pública: mostra o total"),
      },
    },
    list: named("listar", "Mostra as regras em ordem"),
    move: {
      ...named("mover", "Muda a ordem: o aviso segue a primeira regra que se aplicar"),
      options: {
        name: named("nome", "A regra"),
        position: named("posição", "Sua nova posição; 1 é a primeira"),
      },
    },
    remove: { ...named("remover", "Apaga uma regra"), options: { name: named("nome", "A regra") } },
    test: {
      ...named("testar", "Mostra para onde um pedido iria e por quê"),
      options: { order: named("pedido", "O ID do pedido") },
    },
  },
};

const es: Mirror<typeof en> = {
  ...named("ruta", "Reglas sobre adónde van los pedidos"),
  subcommands: {
    add: {
      ...named("agregar", "Envía algunos pedidos a otro canal o los muestra a todos"),
      options: {
        name: named("nombre", "Nombre de la regla"),
        channel: named("canal", "Adónde van estos pedidos"),
        style: {
          ...named("estilo", "Un aviso para tu equipo o una línea corta para todos"),
          choices: { staff: "Aviso para el equipo", feed: "Línea pública sin cliente" },
        },
        role: named("rol", "Rol que se menciona en cada pedido"),
        status: named("estado", "Pedidos que pasan a este estado (sin él: pedidos nuevos)"),
        product: named("producto", "Solo pedidos con este producto"),
        category: named("categoría", "Solo pedidos con un producto de esta categoría"),
        method: named("pago", "Solo pedidos con esto en el método de pago"),
        from: named("desde", "Solo pedidos con este total o más, como 100 o 1.234,56"),
        to: named("hasta", "Solo pedidos con este total o menos"),
        items: named("unidades", "Solo pedidos con esta cantidad de unidades o más"),
        amount: named("importe", "En una línea pública: muestra el total"),
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
};

/** Texts of `/alerts route`, as `commands.ts` has them. */
export const routeCommands = { en, ptBR, es };

import { type Mirror, named } from "./command-text.ts";

const en = {
  stats: {
    ...named("stats", "Show orders, sales and top products of some days, only to you"),
    options: {
      period: {
        ...named("period", "Which days"),
        choices: { today: "Today so far", yesterday: "Yesterday", week: "Last 7 days", month: "Last 30 days" },
      },
    },
  },
  digest: {
    ...named("digest", "Orders, sales and top products, posted by themselves"),
    subcommands: {
      set: {
        ...named("set", "Post each day's or week's figures in a channel"),
        options: {
          channel: named("channel", "Where they are posted"),
          every: { ...named("every", "How often"), choices: { day: "Every day", week: "Every Monday" } },
          hour: named("hour", "At which hour, from 0 to 23"),
          timezone: named("timezone", "Time zone of the hour and the days, such as America/Sao_Paulo"),
        },
      },
      off: named("off", "Stop posting figures"),
    },
  },
} as const;

const ptBR: Mirror<typeof en> = {
  stats: {
    ...named("estatísticas", "Mostra pedidos, vendas e produtos mais vendidos de alguns dias, só para você"),
    options: {
      period: {
        ...named("período", "Quais dias"),
        choices: { today: "Hoje até agora", yesterday: "Ontem", week: "Últimos 7 dias", month: "Últimos 30 dias" },
      },
    },
  },
  digest: {
    ...named("resumo", "Pedidos, vendas e produtos mais vendidos, publicados automaticamente"),
    subcommands: {
      set: {
        ...named("definir", "Publica os números de cada dia ou semana em um canal"),
        options: {
          channel: named("canal", "Onde são publicados"),
          every: {
            ...named("frequência", "De quanto em quanto tempo"),
            choices: { day: "Todo dia", week: "Toda segunda" },
          },
          hour: named("hora", "A que hora, de 0 a 23"),
          timezone: named("fuso", "Fuso horário da hora e dos dias, como America/Sao_Paulo"),
        },
      },
      off: named("desativar", "Para de publicar os números"),
    },
  },
};

const es: Mirror<typeof en> = {
  stats: {
    ...named("estadísticas", "Muestra pedidos, ventas y productos más vendidos de unos días, solo a ti"),
    options: {
      period: {
        ...named("período", "Qué días"),
        choices: { today: "Hoy hasta ahora", yesterday: "Ayer", week: "Últimos 7 días", month: "Últimos 30 días" },
      },
    },
  },
  digest: {
    ...named("resumen", "Pedidos, ventas y productos más vendidos, publicados por sí solos"),
    subcommands: {
      set: {
        ...named("activar", "Publica las cifras de cada día o semana en un canal"),
        options: {
          channel: named("canal", "Dónde se publican"),
          every: { ...named("frecuencia", "Cada cuánto"), choices: { day: "Cada día", week: "Cada lunes" } },
          hour: named("hora", "A qué hora, de 0 a 23"),
          timezone: named("zona", "Zona horaria de la hora y de los días, como America/Sao_Paulo"),
        },
      },
      off: named("desactivar", "Deja de publicar las cifras"),
    },
  },
};

/** Texts of the commands that tell figures, as `commands.ts` has them. */
export const figureCommands = { en, ptBR, es };

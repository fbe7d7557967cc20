import { type Mirror, named } from "./command-text.ts";

const en = {
  stats: {
    ...named("stats", "Show sales for a period, compared with the one before (only you see it)"),
    options: {
      period: {
        ...named("period", "Which period"),
        choices: { today: "Today so far", yesterday: "Yesterday", week: "Last 7 days", month: "Last 30 days" },
      },
    },
  },
  digest: {
    ...named("digest", "A daily or weekly summary of sales"),
    subcommands: {
      set: {
        ...named("set", "Post the digest in a channel every day or every week"),
        options: {
          channel: named("channel", "Where it is posted"),
          every: { ...named("every", "How often"), choices: { day: "Every day", week: "Every Monday" } },
          hour: named("hour", "Hour of the day, from 0 to 23"),
          timezone: named("timezone", "Time zone of the digest, if not the server's, such as America/Sao_Paulo"),
        },
      },
      off: named("off", "Stop posting the digest"),
    },
  },
} as const;

const ptBR: Mirror<typeof en> = {
  stats: {
    ...named("estatísticas", "Mostra as vendas de um período, em comparação com o anterior (só você vê)"),
    options: {
      period: {
        ...named("período", "Qual período"),
        choices: { today: "Hoje até agora", yesterday: "Ontem", week: "Últimos 7 dias", month: "Últimos 30 dias" },
      },
    },
  },
  digest: {
    ...named("resumo", "Um resumo diário ou semanal das vendas"),
    subcommands: {
      set: {
        ...named("definir", "Publica o resumo em um canal todo dia ou toda semana"),
        options: {
          channel: named("canal", "Onde ele é publicado"),
          every: {
            ...named("frequência", "De quanto em quanto tempo"),
            choices: { day: "Todo dia", week: "Toda segunda" },
          },
          hour: named("hora", "Hora do dia, de 0 a 23"),
          timezone: named("fuso", "Fuso horário do resumo, se não for o do servidor, como America/Sao_Paulo"),
        },
      },
      off: named("desativar", "Para de publicar o resumo"),
    },
  },
};

const es: Mirror<typeof en> = {
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
          timezone: named("zona", "Zona horaria del resumen, si no es la del servidor, como America/Sao_Paulo"),
        },
      },
      off: named("desactivar", "Deja de publicar el resumen"),
    },
  },
};

/** Texts of the commands about sales, as `commands.ts` has them. */
export const figureCommands = { en, ptBR, es };

import { longestReplyMinutes } from "../../basics/limits/limits-in-texts.ts";
import type { Texts } from "../shape.ts";

export const exports: Texts["exports"] = {
  today: "Hoje",
  yesterday: "Ontem",
  daysAgo: (days) => `Há ${days} dias`,
  thisMonth: "Primeiro dia deste mês",
  lastMonthBegan: "Primeiro dia do mês passado",
  lastMonthEnded: "Último dia do mês passado",
  reading: { orders: "Lendo pedidos", products: "Lendo produtos" },
  progress: (read, about, written) => `Lidos: ${read} de cerca de ${about} · No arquivo: ${written}`,
  tooMuch: {
    orders: `Há mais pedidos do que dá para ler nos ${longestReplyMinutes} minutos que o Discord permite, então o arquivo ficará incompleto. Para um arquivo completo, clique em **Cancelar** e escolha dias com \`de\` e \`até\`.`,
    products: `Há mais produtos do que dá para ler nos ${longestReplyMinutes} minutos que o Discord permite, então o arquivo ficará incompleto.`,
  },
  done: {
    orders: (count) => `Pedidos no arquivo: **${count}**`,
    products: (count) => `Produtos no arquivo: **${count}**`,
  },
  doneInParts: {
    orders: (count, files) => `Pedidos em ${files} arquivos: **${count}**`,
    products: (count, files) => `Produtos em ${files} arquivos: **${count}**`,
  },
  days: (zone) => `Os dias seguem o fuso horário ${zone}.`,
  form: "Os horários estão em UTC, os valores usam ponto decimal e as colunas são separadas por vírgula.",
  part: (number) => `Parte ${number}`,
  none: {
    orders: "Nenhum pedido encontrado, então não há arquivo.",
    products: "Nenhum produto encontrado, então não há arquivo.",
  },
  customersHidden:
    "O arquivo vem sem os dados dos clientes por causa da configuração de privacidade deste servidor. Quem tem a permissão Gerenciar servidor recebe o arquivo com eles.",
  customersMasked:
    "Os dados dos clientes vêm parcialmente ocultos por causa da configuração de privacidade deste servidor. Quem tem a permissão Gerenciar servidor recebe os dados completos.",
  undated: (count) => `Deixados de fora, porque a loja não informa a data: ${count}.`,
  uncertain:
    "As páginas da lista da loja não se encaixaram, então pode faltar algo. Para ter certeza, use o comando de novo.",
  incomplete: (read, about) => `O arquivo está incompleto: ${read} de cerca de ${about} foram lidos.`,
  noFile: "Nada do que foi lido até agora entra no arquivo, então não há arquivo.",
  late: "O tempo que o Discord permite acabou.",
  chooseDays: "Para o resto, escolha dias com `de` e `até`.",
  ending: "O bot foi encerrado nesse meio-tempo. Use o comando de novo em um minuto.",
  broke: "Use o comando de novo em alguns minutos.",
  cancelled: {
    orders: "Exportação cancelada. Para ter um arquivo, use `/exportar pedidos` de novo.",
    products: "Exportação cancelada. Para ter um arquivo, use `/exportar produtos` de novo.",
    stats: "Cancelado. Para ver as estatísticas, use `/estatísticas` de novo.",
  },
};

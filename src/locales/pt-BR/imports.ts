import { importDays, titleMax, typedMax } from "../../basics/limits/limits-in-texts.ts";
import type { Texts } from "../shape.ts";
import { number, plural } from "./plural.ts";

export const imports: Texts["imports"] = {
  faulty: (count, shown) =>
    plural(count, {
      one: "Há um erro no arquivo, por isso **nada foi criado**. Corrija e envie o arquivo de novo.",
      other: `Há ${shown} erros no arquivo, por isso **nada foi criado**. Corrija e envie o arquivo de novo.`,
    }),
  allFaults: "O arquivo abaixo lista todos.",
  fault: (row, column, what) => `Linha ${row}, \`${column}\`: ${what}`,
  faultOfRow: (row, what) => `Linha ${row}: ${what}`,
  faults: {
    bad_title: "falta um título legível",
    bad_price: "não é um preço: precisa ser um número de 0 a 1.000.000.000.000, como 49,90",
    bad_decimals: "tem dígitos demais depois do separador decimal; escreva os milhares sem separador, como 1234",
    bad_category: "não é o ID de uma categoria; os IDs estão no arquivo de /exportar produtos",
    bad_picture: "não são links de imagens: até dez que comecem com https:// ou http://, separados por espaço",
    bad_type: "precisa ser DEFAULT",
    too_long: `longo demais: um título pode ter até ${titleMax} caracteres, e uma descrição, até ${number(typedMax)}`,
    more_cells: "mais células do que colunas",
  },
  preview: (count, shown) =>
    plural(count, {
      one: `**Prévia** · ${shown} produto no arquivo, nada foi criado ainda`,
      other: `**Prévia** · ${shown} produtos no arquivo, nada foi criado ainda`,
    }),
  before: (count, shown) =>
    plural(count, {
      one: `${shown} deles foi criado por uma importação nos últimos ${importDays} dias e fica de fora. Para criar outro igual, use **Copiar** em \`/produtos\`.`,
      other: `${shown} deles foram criados por uma importação nos últimos ${importDays} dias e ficam de fora. Para criar outros iguais, use **Copiar** em \`/produtos\`.`,
    }),
  allBefore: "Não há mais nada para criar.",
  sentBefore: (count, shown) =>
    plural(count, {
      one: `⚠️ ${shown} deles já foi enviado à loja, que não confirmou. **Criar** procura primeiro na loja e só envia de novo se ele não estiver lá.`,
      other: `⚠️ ${shown} deles já foram enviados à loja, que não confirmou. **Criar** procura primeiro na loja e só envia de novo o que não estiver lá.`,
    }),
  alike: (count, shown) =>
    plural(count, {
      one: "⚠️ 1 linha parece já estar na loja: tem um ID ou o título de um dos produtos mais recentes. Uma importação não altera nenhum produto: esta linha vira um produto novo.",
      other: `⚠️ ${shown} linhas parecem já estar na loja: têm um ID ou o título de um dos produtos mais recentes. Uma importação não altera nenhum produto: estas linhas viram produtos novos.`,
    }),
  understood: (row, typed, amount) => `⚠️ Linha ${row}: ${typed} foi entendido como **${amount}**.`,
  unknownColumns: (columns) => `⚠️ Colunas desconhecidas, deixadas de fora: ${columns}`,
  noStock: "-# Os produtos são criados sem estoque, porque ele não vem neste arquivo. Adicione o estoque na loja.",
  row: (row) => `Linha ${row}`,
  pictures: (count, shown) => plural(count, { one: `${shown} imagem`, other: `${shown} imagens` }),
  createRemaining: "Criar o restante",
  running: "Criando produtos",
  progress: (done, all) => `${done} de ${all} criados`,
  refused: (count, shown) =>
    plural(count, { one: `Recusado pela loja: **${shown}**`, other: `Recusados pela loja: **${shown}**` }),
  unclear: (count, shown) =>
    plural(count, {
      one: `⚠️ ${shown} foi enviado, mas a loja não confirmou: ele **pode ou não estar na loja**. Espere um minuto e clique em **Criar o restante**: o bot procura e só envia outra vez se ele não estiver lá.`,
      other: `⚠️ ${shown} foram enviados, mas a loja não confirmou: eles **podem ou não estar na loja**. Espere um minuto e clique em **Criar o restante**: o bot procura e só envia outra vez o que não estiver lá.`,
    }),
  ifCut:
    "-# Se o bot for reiniciado, esta mensagem não muda mais. Nesse caso, espere meio minuto e clique em **Cancelar** ou envie o mesmo arquivo de novo: você continua de onde parou, e nada é criado duas vezes.",
  done: (_count, shown) => `Produtos criados: **${shown}**`,
  leftOut: (shown) => `Criados por uma importação anterior, deixados de fora: ${shown}`,
  open: (shown) => `Não enviados: **${shown}**`,
  cancelled: "A importação foi cancelada. O que foi criado continua na loja.",
  late: "O tempo que o Discord permite acabou.",
  ending: "O bot foi encerrado nesse meio-tempo. Você pode continuar em um minuto.",
  stopped: "A importação parou:",
  tooUnclear: "A importação parou porque a loja não confirmou vários produtos.",
  goOn: `Para continuar, clique em **Criar o restante** ou envie o mesmo arquivo de novo em até ${importDays} dias. Nada é criado duas vezes.`,
  stopping:
    "A importação está parando. O que foi criado continua na loja; a mensagem da importação mostrará em breve o resultado de cada produto. Se ela não mudar, o bot foi reiniciado: clique em **Cancelar** de novo em meio minuto.",
  over: `Essa importação não está mais em andamento: ela terminou ou o bot foi reiniciado. O que foi criado continua na loja. Para continuar, clique em **Criar o restante** ou envie o mesmo arquivo de novo em até ${importDays} dias. Nada é criado duas vezes.`,
  discarded: "Cancelado. Nada foi criado.",
  file: {
    row: "linha",
    column: "coluna",
    problem: "problema",
    title: "título",
    result: "resultado",
    created: "criado",
    before: "criado antes",
    refused: "recusado",
    unclear: "não confirmado",
    open: "não enviado",
  },
};

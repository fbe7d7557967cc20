import {
  longestReminderDays,
  longestReplyMinutes,
  mostImportCells,
  mostImportRows,
  mostTypedStatuses,
  uploadMebibytes,
} from "../../basics/limits/limits-in-texts.ts";
import type { Texts } from "../shape.ts";
import { number, plural } from "./plural.ts";

export const problems: Texts["problems"] = {
  unauthorized:
    "A loja recusou o token da API ou não permite fazer isto com ele. Nada foi alterado. Informe um novo com `/loja conectar`: você encontra o token no painel de administração da loja, em Configurações, depois Open API.",
  not_found:
    "A loja não tem nada com esse ID. Ele pode estar errado, ter sido apagado ou ser de uma loja conectada antes.",
  invalid:
    "A loja recusou a requisição e não disse por quê. Nada foi alterado. Se você digitou algo, confira e tente de novo. Se não, avise quem administra este bot.",
  invalid_because: (detail) =>
    `A loja recusou a requisição. Nada foi alterado. Resposta da loja: “${detail}”. Se for sobre algo que você digitou, corrija e tente de novo.`,
  rate_limited: (seconds) =>
    `A loja está recebendo requisições demais. Nada foi alterado. Tente de novo em ${plural(seconds, { one: `${seconds} segundo`, other: `${seconds} segundos` })}.`,
  unavailable:
    "Não foi possível acessar a loja agora, ou ela está com uma falha. Nada foi alterado. Tente de novo em alguns minutos.",
  timeout: "A loja demorou demais para responder. Tente de novo em um minuto.",
  malformed:
    "Não foi possível entender a resposta do endereço da loja. Nada foi alterado. Se continuar assim, avise quem administra este bot: o endereço pode estar errado.",
  too_large: "A resposta da loja é grande demais. Restrinja a busca, por exemplo com um status ou um título.",
  ambiguous:
    "O produto foi enviado, mas a loja não respondeu: ele pode ou não ter sido criado. O bot não envia de novo sozinho. Procure o título com `/produtos` antes de tentar de novo.",
  not_connected:
    "Este servidor ainda não tem uma loja conectada. Quem tem a permissão Gerenciar servidor pode conectar uma com `/loja conectar`.",
  not_allowed: "Só quem tem a permissão Gerenciar servidor ou o cargo da equipe pode usar isto.",
  managers_only: "Só quem tem a permissão Gerenciar servidor pode usar isto.",
  someone_elses: "Só quem usou o comando pode usar isto. Para ter a sua própria resposta, use o comando você também.",
  expired: "Isto expirou. Use o comando de novo para recomeçar.",
  unknown_action: "Isto é de uma versão anterior do bot. Use o comando de novo.",
  guild_only: "Isto só funciona em um servidor, não em mensagens diretas. Use o comando no servidor da sua loja.",
  cooldown: (seconds) =>
    `O bot recebeu requisições demais. Tente de novo em ${plural(seconds, { one: `${seconds} segundo`, other: `${seconds} segundos` })}.`,
  storage:
    "O bot não consegue acessar os próprios dados agora, então isto não foi feito. O que já estava salvo não se perdeu. Tente de novo em alguns minutos.",
  undecryptable:
    "O token da API que estava salvo não pode mais ser lido, provavelmente porque a chave de criptografia do bot mudou. As suas outras configurações continuam salvas. Conecte a loja de novo com `/loja conectar`.",
  bad_email: "Isso não é um e-mail. Digite um como `nome@exemplo.com` ou copie de um pedido.",
  customers_hidden:
    "A configuração de privacidade deste servidor oculta os clientes, então só quem tem a permissão Gerenciar servidor pode consultar os pedidos deles e mudar isso com `/loja configurar privacidade`.",
  bad_uuid:
    "Isso não é um ID de pedido, e nenhum pedido recente começa assim. Escolha uma das sugestões que aparecem enquanto você digita ou cole um ID inteiro, como `3f2a91bc-5d0e-4c1a-9b7e-0123456789ab`.",
  bad_token:
    "Isso não pode ser um token da API: está vazio ou tem caracteres inválidos. Nada foi salvo. Copie o token inteiro e use `/loja conectar` de novo.",
  bad_currency: "Isso não é uma moeda. Nada foi alterado. Use um código de três letras, como `BRL`, `USD` ou `EUR`.",
  bad_page: (lastPage) => `Essa página não existe. Digite um número de 1 a ${lastPage}.`,
  bad_day: (today) => `Isso não é uma data. Digite ano, mês e dia, como \`${today}\`, ou \`hoje\` ou \`ontem\`.`,
  days_reversed: "O primeiro dia vem depois do último. Inverta `de` e `até`.",
  reminders_off:
    "Os lembretes estão desativados. Nada foi alterado. Para ativá-los, informe também `após`, como `30 minutos`.",
  bad_reminder: `Lembrete inválido. Nada foi alterado. \`após\` é um tempo de 1 minuto a ${longestReminderDays} dias, como \`30 minutos\` ou \`2 horas\`, ou \`off\` para desativar; \`silêncio\` é um intervalo de horas, como \`22-8\`; \`fuso\` é o do período de silêncio, da lista.`,
  export_running:
    "Você já tem uma exportação em andamento. Espere ela terminar ou clique em **Cancelar** na mensagem dela.",
  exports_full: "Há exportações demais em andamento agora. Tente de novo em alguns minutos.",
  import_broken: (line) =>
    `Este arquivo CSV tem um erro na linha ${line}: não dá para saber onde termina uma célula. Nada foi criado. Salve de novo como CSV (UTF-8) e envie outra vez.`,
  import_wide: (line) =>
    `A linha ${line} do arquivo tem mais de ${mostImportCells} células. Nada foi criado. Apague as colunas que não são dos produtos e envie o arquivo de novo.`,
  import_columns: (columns) =>
    `Faltam colunas no arquivo: ${columns}. Nada foi criado. A primeira linha precisa ter os nomes das colunas, como no arquivo de \`/exportar produtos\`, que também traz o \`categoryId\` de cada produto. São obrigatórias \`title\`, \`price\` e \`categoryId\`.`,
  import_twice: (column) =>
    `O arquivo tem a coluna ${column} mais de uma vez. Nada foi criado. Deixe só uma e envie o arquivo de novo.`,
  import_empty:
    "O arquivo não tem produtos: não há nada abaixo da primeira linha. Nada foi criado. Adicione uma linha para cada produto e envie o arquivo de novo.",
  import_long: `O arquivo tem linhas demais: o limite é ${number(mostImportRows)}. Nada foi criado. Divida em vários arquivos.`,
  import_too_large: `O arquivo é grande demais: o limite é ${uploadMebibytes} MiB. Nada foi criado. Divida em vários arquivos.`,
  import_not_text:
    "O arquivo não é texto em UTF-8. Nada foi criado. Salve como **CSV UTF-8** na sua planilha e envie de novo.",
  import_unread: "Não foi possível baixar o arquivo do Discord. Nada foi enviado à loja. Envie o arquivo de novo.",
  import_changed:
    "O arquivo não é mais o que foi mostrado, ou os preços dele agora seriam lidos de outro jeito. Nada foi enviado à loja. Envie o arquivo de novo.",
  import_readings_full:
    "Outros arquivos estão sendo lidos agora. Nada foi enviado à loja. Tente de novo daqui a pouco.",
  full: "O bot está sem espaço agora, por isso não foi possível terminar. O que já estava salvo não se perdeu. Tente de novo em uma hora.",
  import_running:
    "Já há uma importação em andamento neste servidor. Espere ela terminar ou clique em **Cancelar** na mensagem dela. Se o bot foi reiniciado nesse meio-tempo, tente de novo em meio minuto.",
  imports_full: "Há importações demais em andamento agora. Nada foi criado. Tente de novo em alguns minutos.",
  stats_running: "Os pedidos já estão sendo lidos para estatísticas ou para um arquivo. Tente de novo em um minuto.",
  stats_late: `Há mais pedidos do que dá para ler nos ${longestReplyMinutes} minutos que o Discord permite. Peça um período mais curto.`,
  ending: "O bot foi encerrado nesse meio-tempo. Nada foi alterado. Use o comando de novo em um minuto.",
  too_many_statuses: `São mais de ${mostTypedStatuses} status. Nada foi alterado. Deixe alguns de fora e tente de novo.`,
  bad_zone:
    "Isso não é um fuso horário. Nada foi alterado. Comece a digitar uma cidade, como `America/Sao_Paulo`, e escolha na lista.",
  digest_off: "O resumo já está desativado. Ative com `/resumo definir`.",
  channel_gone:
    "Esse canal não existe mais, ou o bot não consegue vê-lo. Nada foi publicado. Os pedidos que iam para lá estão guardados: escolha outro canal com `/avisos definir`.",
  forbidden:
    "Faltam permissões ao bot nesse canal, então nada foi publicado. Permita que ele veja o canal e envie mensagens nele, depois tente de novo.",
  forbidden_without: (permissions) =>
    `Faltam permissões ao bot nesse canal, então nada foi publicado. Dê a ele: ${permissions}. Depois tente de novo.`,
  discord_down:
    "O Discord não confirmou a mensagem, por isso ela pode estar faltando no canal. Tente de novo em um minuto. `/avisos situação` mostra se os avisos estão ativados.",
  public_not_theirs:
    "Todos neste servidor podem ler esse canal, e os avisos ali mostrariam dados de clientes. Só quem tem a permissão Gerenciar servidor pode permitir isso. Nada foi alterado. Escolha um canal privado ou peça a alguém com essa permissão.",
  customers_not_theirs:
    "Os avisos deste servidor mostram dados de clientes, então só quem tem a permissão Gerenciar servidor pode escolher outro canal. Nada foi alterado. Peça a alguém com essa permissão.",
  role_not_theirs:
    "Você não pode mencionar esse cargo nesse canal, então não pode fazer o bot mencioná-lo. Nada foi alterado. Quem tem a permissão Gerenciar servidor pode escolhê-lo ou permitir que todos o mencionem.",
  channel_not_theirs:
    "Você não vê esse canal ou não pode escrever nele, então não pode fazer o bot escrever ali. Nada foi alterado. Escolha um canal em que você possa escrever ou fale com quem tem a permissão Gerenciar servidor.",
  foreign_channel: "Esse canal não é deste servidor. Nada foi alterado. Escolha um da lista.",
  foreign_role: "Esse cargo não é deste servidor. Nada foi alterado. Escolha um da lista.",
  discord_silent:
    "O Discord não está respondendo agora, então o bot não consegue verificar quem pode ler esse canal. Nada foi alterado. Tente de novo em alguns minutos ou fale com quem tem a permissão Gerenciar servidor.",
  bad_category: "Isso não é uma categoria. Escolha uma das sugestões ou cole o ID dela.",
  bad_title: "Um produto precisa de um título legível.",
  bad_picture:
    "Isso não é um link de imagem. Os links começam com `https://` ou `http://`; separe vários (até dez) com espaços.",
  bad_video:
    "Isso não é um link de vídeo do YouTube. Ele precisa começar com `https://www.youtube.com/` ou `https://youtu.be/`.",
  bad_price: "Um preço é um número, como `49,90`.",
  bad_decimals:
    "Este preço tem dígitos demais depois do separador decimal. Escreva como `49,90`, e os milhares sem separador, como `1234`.",
  bad_quantity: "A quantidade mínima é um número inteiro, 1 ou mais.",
  stock_too_large: `O arquivo de estoque é grande demais: o limite é ${uploadMebibytes} MiB.`,
  stock_not_text: "O arquivo de estoque precisa ser texto simples em UTF-8 e não pode estar vazio.",
  stock_twice: "Há estoque no campo de texto e também em um arquivo. Use só um dos dois.",
  stock_unread: "Não foi possível baixar o arquivo de estoque do Discord. Envie-o de novo.",
  alerts_off: "Os avisos estão desativados neste servidor. Ative com `/avisos definir`.",
  already_done: "Isto já tinha sido feito e não foi repetido.",
  cancelled: "Esse rascunho foi cancelado. Use o comando de novo para começar outro.",
  not_begun:
    "O Discord não aceitou a resposta do bot, e por isso isto não foi feito. Nada foi alterado. Tente de novo em um minuto.",
  not_shown:
    "O Discord não aceitou a resposta, e por isso o bot não pode mostrá-la. O que você pediu pode ter sido feito: confira antes de tentar de novo. Se acontecer outra vez, passe a referência a quem administra este bot.",
  internal:
    "Algo deu errado no bot, e isto não foi concluído. Tente de novo. Se acontecer outra vez, passe a referência a quem administra este bot.",
};

export const failures: Texts["failures"] = {
  unauthorized: "A loja recusou o token da API. Se continuar assim, informe um novo com `/loja conectar`.",
  rate_limited: "A loja recebeu requisições demais.",
  unavailable: "Não foi possível acessar a loja, ou ela estava com uma falha.",
  timeout: "A loja demorou demais para responder.",
  unusable: "O bot não conseguiu usar a resposta da loja. Se continuar assim, avise quem administra este bot.",
  undecryptable:
    "Não foi possível ler o token da API que estava salvo, provavelmente porque a chave de criptografia do bot mudou. Conecte a loja de novo com `/loja conectar`.",
  storage: "O bot não conseguiu acessar os próprios dados. Se continuar assim, avise quem administra este bot.",
  channel_gone:
    "Não foi possível publicar uma mensagem, porque o canal dela não existe mais ou o bot não consegue vê-lo. Escolha outro canal ou permita que o bot veja este.",
  forbidden:
    "Não foi possível publicar uma mensagem, porque faltam permissões ao bot no canal dela. Permita que o bot veja o canal e envie mensagens nele, ou escolha outro.",
  undelivered: "O Discord não confirmou a publicação de uma mensagem.",
  internal: "Algo deu errado no bot. Se continuar assim, avise quem administra este bot.",
};

export const permissions: Texts["permissions"] = {
  ViewChannel: "Ver canal",
  SendMessages: "Enviar mensagens",
  EmbedLinks: "Inserir links",
  ReadMessageHistory: "Ver histórico de mensagens",
  MentionEveryone: "Mencionar @everyone, @here e todos os cargos",
};

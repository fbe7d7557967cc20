import { logDays } from "../../basics/limits/limits-in-texts.ts";
import { languageNames } from "../../basics/locale.ts";
import { filter, named } from "../command-text.ts";
import type { Texts } from "../shape.ts";

export const commands: Texts["commands"] = {
  store: {
    ...named("loja", "Conecta este servidor à sua loja"),
    subcommands: {
      connect: named("conectar", "Conecta a sua loja com o token da API"),
      status: named("situação", "Mostra se a conexão com a sua loja está funcionando"),
      settings: {
        ...named("configurar", "Define moeda, idioma, privacidade, cargo da equipe e fuso horário"),
        options: {
          currency: named("moeda", "Moeda dos seus preços, como BRL, USD ou EUR"),
          language: {
            ...named("idioma", "Idioma das mensagens nos canais deste servidor"),
            choices: languageNames,
          },
          privacy: {
            ...named("privacidade", "Como os dados dos clientes aparecem nos canais"),
            choices: { none: "Não aparecem", masked: "Parcialmente ocultos", full: "Completos" },
          },
          staff: named("equipe", "Cargo que também pode usar o bot"),
          timezone: named(
            "fuso",
            "Fuso horário de estatísticas, arquivos, resumos e período de silêncio, como America/Sao_Paulo",
          ),
        },
      },
      disconnect: named("desconectar", "Apaga o token da API e tudo o que está guardado sobre este servidor"),
      log: named("registro", `Mostra quem mudou o quê nos últimos ${logDays} dias`),
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
      off: named("desativar", "Deixa de publicar novos pedidos"),
      status: named("situação", "Mostra se os avisos estão funcionando"),
      test: named("testar", "Publica um aviso de exemplo"),
      remind: {
        ...named("lembrar", "Publica um lembrete de cada pedido que ninguém assumiu"),
        options: {
          after: named("após", "Quanto tempo após o aviso, como 30 minutos; off desativa"),
          quiet: named("silêncio", "Horário sem lembretes, como 22-8"),
          timezone: named("fuso", "Fuso horário do período de silêncio, se não for o do servidor"),
        },
      },
    },
    groups: {
      route: {
        ...named("rota", "Regras que dizem para onde vai cada pedido"),
        subcommands: {
          add: {
            ...named("adicionar", "Cria uma regra: certos pedidos vão para outro canal ou aparecem para todos"),
            options: {
              name: named("nome", "Nome da regra"),
              channel: named("canal", "Para onde vão esses pedidos"),
              style: {
                ...named("estilo", "Um aviso para a equipe ou uma mensagem curta para todos"),
                choices: { staff: "Aviso para a equipe", feed: "Mensagem pública, sem o cliente" },
              },
              role: named("cargo", "Cargo a mencionar em cada pedido"),
              status: named("status", "Pedidos que mudam para este status (se ficar vazio: novos pedidos)"),
              product: named("produto", "Só pedidos com este produto"),
              category: named("categoria", "Só pedidos com um produto desta categoria"),
              method: named("pagamento", "Só pedidos com isto na forma de pagamento"),
              from: named("de", "Só pedidos com este total ou mais, como 100 ou 1.234,56"),
              to: named("até", "Só pedidos com este total ou menos"),
              items: named("itens", "Só pedidos com esta quantidade de unidades ou mais"),
              amount: named("valor", "Na mensagem pública: mostra o total"),
            },
          },
          list: named("listar", "Mostra as regras em ordem"),
          move: {
            ...named("mover", "Muda a ordem: o aviso segue a primeira regra que se aplicar"),
            options: {
              name: named("nome", "A regra"),
              position: named("posição", "A nova posição da regra; 1 é a primeira"),
            },
          },
          remove: { ...named("remover", "Apaga uma regra"), options: { name: named("nome", "A regra") } },
          test: {
            ...named("testar", "Mostra para onde um pedido iria e por quê"),
            options: { order: named("pedido", "O ID do pedido") },
          },
        },
      },
    },
  },
  orders: {
    ...named("pedidos", "Lista os pedidos da sua loja"),
    options: {
      status: named("status", "Só estes status, separados por vírgula"),
      email: filter("email", "Só pedidos do cliente com este e-mail", "E-mail"),
      handling: {
        ...filter(
          "atendimento",
          "Só pedidos que você assumiu, que ninguém assumiu ou que outra pessoa assumiu",
          "Atendimento",
        ),
        choices: { mine: "Meus", free: "Livres", someones: "De outros" },
      },
      page: named("página", "Em qual página começar"),
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
      page: named("página", "Em qual página começar"),
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
      off: named("desativar", "Deixa de publicar o resumo"),
    },
  },
  "add-product": {
    ...named("adicionar-produto", "Adiciona um produto à sua loja"),
    options: {
      title: named("título", "Título do produto"),
      price: named("preço", "Preço de venda, ex.: 49,90"),
      category: named("categoria", "Categoria: escolha uma ou cole o ID"),
      "compare-at": named("preço-original", "Preço antes do desconto, que aparece riscado"),
      image: named("imagem", "Link de uma imagem (https://…), ou vários separados por espaço"),
      youtube: named("youtube", "Link de um vídeo do YouTube"),
      "min-quantity": named("quantidade-mínima", "Quantidade mínima por compra"),
      "hide-sales": named("ocultar-vendas", "Oculta o número de vendas"),
      "hide-product": named("ocultar-produto", "Oculta o produto na loja"),
      chat: named("chat", "Abre um chat com o cliente após a compra"),
    },
  },
  "import-products": {
    ...named("importar-produtos", "Cria vários produtos a partir de um arquivo CSV, nenhum deles duas vezes"),
    options: { file: named("arquivo", "O arquivo CSV, como o de /exportar produtos") },
  },
};

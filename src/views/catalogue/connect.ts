import { defineTexts } from "./define-texts.ts";

/** The modal that asks for the API token. Discord's limits: title and label 45 characters, description 100. */
export const connect = defineTexts({
  en: {
    title: "Connect your store",
    label: "API token",
    hint: "From your store's administration panel: Settings, then Open API. It is stored encrypted.",
    placeholder: "Paste the token here",
  },
  "pt-BR": {
    title: "Conectar sua loja",
    label: "Token da API",
    hint: "No painel de administração da loja: Configurações, depois Open API. Fica guardado com criptografia.",
    placeholder: "Cole o token aqui",
  },
  es: {
    title: "Conectar tu tienda",
    label: "Token de la API",
    hint: "En el panel de administración de la tienda: Configuración, luego Open API. Se guarda cifrado.",
    placeholder: "Pega el token aquí",
  },
});

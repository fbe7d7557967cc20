import type { Texts } from "../shape.ts";
import { plural } from "./plural.ts";

export const setUp: Texts["setUp"] = {
  title: "Tu tienda está conectada",
  intro: (last4) =>
    `Token de la API terminado en ${last4}. Elige dónde y cómo recibir los avisos de pedidos nuevos y presiona **Enviar una muestra** para activar los avisos.`,
  introOn: (last4) =>
    `Token de la API terminado en ${last4}. Los avisos están activados. Si cambias el canal, el rol o qué genera un aviso, presiona **Enviar una muestra** para guardarlo.`,
  channel: "Canal",
  chooseChannel: "Elige un canal",
  role: "Rol que se menciona",
  noRoleChosen: "Ningún rol",
  triggers: "Qué genera un aviso",
  trigger: {
    new: "Pedidos nuevos",
    paid: "Pedidos pagados",
    both: "Pedidos nuevos y pagados",
  },
  triggerHint: {
    new: "En cuanto se hace el pedido",
    paid: "Solo cuando el pedido se paga",
    both: "Cuando se hace el pedido y otra vez cuando se paga",
  },
  zoneHint:
    "Vale para los días, el período de silencio y los resúmenes. La primera es una suposición según tu idioma. Para otras zonas, usa **/tienda ajustes**.",
  sendSample: "Enviar una muestra",
  noRole: "Sin rol",
  change: "Cambiar",
  details: "Detalles",
  missing: (channel, permissions) =>
    `Permisos que le faltan al bot en ${channel}: ${permissions}. Dáselos en los ajustes del canal, en **Permisos**.`,
  silentRole: (role, permission) =>
    `${role} todavía no recibe la notificación: en los ajustes del rol, permite que cualquiera lo mencione, o dale al bot **${permission}** en ese canal.`,
  goneRole:
    "El rol que mencionan los avisos fue borrado, así que nadie recibe la notificación. Elige otro rol con **/avisos activar**.",
  goneStaffRole:
    "El rol del equipo fue borrado, así que el equipo ya no puede usar el bot. Elige otro rol con **/tienda ajustes**.",
  customersShown: (channel) =>
    `Puede que todos en este servidor puedan leer ${channel}, y allí los avisos mostrarían datos de clientes, según tu ajuste de privacidad. Presiona **Confirmar** para continuar o elige otro canal.`,
  done: (channel) => `Se publicó una muestra en ${channel}. A partir de ahora, los avisos de pedidos llegan allí.`,
  doneTitle: "Los avisos están activados",
  everyoneStays: "Los avisos no pueden mencionar a @everyone, así que el rol sigue como estaba.",
  unknownStatuses: (count, statuses) =>
    plural(count, {
      one: `El bot no conoce el estado ${statuses}: solo genera aviso si tu tienda usa exactamente esa palabra.`,
      other: `El bot no conoce los estados ${statuses}: solo generan aviso si tu tienda usa exactamente esas palabras.`,
    }),
  roleGone: "Los avisos ya no mencionan ningún rol.",
  isSample: "Esto es una muestra: no corresponde a ningún pedido. En un aviso real, este botón muestra el pedido.",
  sampleItem: "Producto de muestra",
  otherSampleItem: "Otro producto de muestra",
  allWell: (host, looked) => `Todo en orden: ${host} responde. Última revisión de pedidos: ${looked}.`,
  answersOnly: (host) => `${host} responde, pero los avisos están desactivados. Actívalos con **/avisos activar**.`,
  notWell: "Algo necesita atención",
  tokenRefused: (since) =>
    `La tienda rechaza el token de la API (detectado ${since}). Ingresa uno nuevo con **/tienda conectar**.`,
  cannotPost: (channel, since) =>
    `No se pueden publicar avisos en ${channel} (detectado ${since}). Dale al bot sus permisos allí o elige otro canal con **/avisos activar**: todo lo que está en espera se publicará.`,
  notPosted: (channel, since) =>
    `El último mensaje de una regla o del resumen para ${channel} no se pudo publicar (detectado ${since}). Revisa los permisos del bot allí o elige otro canal.`,
  late: (delay) =>
    `La última revisión de pedidos se retrasó (retraso: ${delay}). Si esto continúa, avisa a quien administra este bot.`,
  onlyPageOne:
    "La tienda ignora el número de página, así que el bot solo ve la primera página de pedidos y puede perder otros. Avisa a quien administra este bot: `STORE_ORDER_PARAMS` puede tener un nombre incorrecto para él.",
};

export const connect: Texts["connect"] = {
  title: "Conectar tu tienda",
  label: "Token de la API",
  hint: "En el panel de administración de la tienda: Configuración, luego Open API. Se guarda cifrado.",
  placeholder: "Pega el token aquí",
};

export const greeting: Texts["greeting"] = {
  inServer: "¡Hola! Soy Shopbell y te aviso de cada pedido nuevo de tu tienda",
  toOwner: (server) => `¡Hola! Ya estoy en **${server}** y te aviso de cada pedido nuevo de tu tienda`,
  nextStep:
    "Siguiente paso, para quien tenga el permiso **Administrar servidor**: escribe **/tienda conectar** en cualquier canal del servidor y pega el token de la API de tu tienda en la ventana que se abre. Nadie más lo ve.",
};

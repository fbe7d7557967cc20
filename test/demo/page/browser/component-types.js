/** Docs: Component Reference. */
export const TYPE = {
  row: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  roleSelect: 6,
  channelSelect: 8,
  textDisplay: 10,
  gallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
  fileUpload: 19,
};

/** Id, name and kind of every material of the company: for the lists of other modules to join. Read under the reader's policy. */
export const mediaDirectory = '(select id, name, kind from media)'

/** Of this program, as it is shown and written into backups. */
export const VERSION = '0.1.0'

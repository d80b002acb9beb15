/** What a column of a table of devices may be. */
export const IMPORT_FIELDS = [
  'deviceNo',
  'name',
  'product',
  'group',
  'tags',
  'attributes',
  'description',
  'lng',
  'lat',
  'address',
  'offlineDelay',
  'user',
] as const

/** What a person typed, to be found anywhere in a text by (i)like. */
export const likePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** Everything about the inbox in the query cache. */
export const INBOX = ['inbox'] as const
export const UNREAD = [...INBOX, 'unread'] as const
export const listKeyOf = (unreadOnly: boolean) => [...INBOX, 'list', unreadOnly] as const

import { create } from 'zustand'

export type HeaderDialog = 'search' | 'keys' | 'news'

/** What is open over the page from the header: the search everywhere, the keys, what is new. */
export const useHeaderDialog = create<{ open: HeaderDialog | null }>(() => ({ open: null }))

export const showInHeader = (open: HeaderDialog | null): void => useHeaderDialog.setState({ open })

import { create } from 'zustand'

/** Whether the main menu lies over the page: at phone width it is a drawer that the header's button opens. */
export const useMenuDrawer = create<{ open: boolean }>(() => ({ open: false }))

export const showMenu = (open: boolean) => useMenuDrawer.setState({ open })

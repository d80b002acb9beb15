import { create } from 'zustand'
import { randomId } from '../../../lib/ids.ts'
import type { AssistantMessage } from '../model.ts'

export interface ChatState {
  /** Row of the history; undefined before the first question was kept. */
  id: number | undefined
  chatId: string
  name: string
  messages: AssistantMessage[]
  /** A reply is being given in this tab (specification §4). */
  asking: boolean
  /** What stands in the input field: it outlives closing the window. */
  draft: string
}

export const emptyChat = (): ChatState => ({
  id: undefined,
  chatId: randomId(),
  name: '',
  messages: [],
  asking: false,
  draft: '',
})

/** The conversation that is open, whether its window is shown or not. */
export const useChat = create<ChatState>(emptyChat)

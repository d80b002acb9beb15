import { create } from 'zustand'
import { ApiError, ProofDeclinedError } from '../../lib/api/api-error.ts'

/** What somebody says to get past the guard of a dangerous command. */
export interface Answers {
  acknowledged?: boolean
  pin?: string
}

export interface OpenAsk {
  kind: 'confirm' | 'pin'
  /** The product's own words; empty: none. */
  text: string
  /** Why it is asked once more. */
  wrong: boolean
  answer: (answers: Answers | null) => void
}

/** Drawn by {@link CommandAskHost} on the pages that send commands. */
export const useCommandAsk = create<{ open: OpenAsk | null }>(() => ({ open: null }))

function ask(question: Omit<OpenAsk, 'answer'>): Promise<Answers | null> {
  return new Promise(resolve => {
    useCommandAsk.setState({
      open: {
        ...question,
        answer(answers) {
          useCommandAsk.setState({ open: null })
          resolve(answers)
        },
      },
    })
  })
}

/**
 * Sends a command; where the server finds it dangerous, asks the person and sends it again with his answer. A fresh proof
 * is asked for by the API client itself.
 * @throws ProofDeclinedError (silent) when he would rather not
 */
export async function sendGuarded<T>(send: (answers: Answers) => Promise<T>): Promise<T> {
  let answers: Answers = {}
  for (;;) {
    try {
      return await send(answers)
    } catch (error) {
      const kind = kindOf(error)
      if (!kind) throw error
      const { code, params } = error as ApiError
      const said = await ask({ kind, text: String(params?.text ?? ''), wrong: code === 'command.pin_wrong' })
      if (!said) throw new ProofDeclinedError(error as ApiError)
      answers = { ...answers, ...said }
    }
  }
}

function kindOf(error: unknown): OpenAsk['kind'] | null {
  if (!(error instanceof ApiError)) return null
  if (error.code === 'command.confirm_required') return 'confirm'
  return error.code === 'command.pin_required' || error.code === 'command.pin_wrong' ? 'pin' : null
}

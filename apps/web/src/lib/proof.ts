import { create } from 'zustand'

/** A question that stands open: "confirm that it is you". */
export interface OpenProof {
  methods: readonly string[]
  answer: (proven: boolean) => void
}

/** Drawn by the console's frame (ui/proof). */
export const useProof = create<{ open: OpenProof | null }>(() => ({ open: null }))

let asking: Promise<boolean> | null = null

/**
 * Asks the person to confirm that it is still he; several calls that wait at once share one question.
 * @returns false when he would rather not
 */
export function askProof(methods: readonly string[]): Promise<boolean> {
  asking ??= new Promise<boolean>(resolve => {
    useProof.setState({
      open: {
        methods,
        answer(proven) {
          useProof.setState({ open: null })
          asking = null
          resolve(proven)
        },
      },
    })
  })
  return asking
}

import { create } from 'zustand'
import { type Appearance, local } from './storage.ts'

function preferred(): Appearance {
  return typeof window !== 'undefined' && window.matchMedia?.('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** Light or dark: what was chosen, else what the system prefers. */
export const useAppearance = create<{ mode: Appearance }>(() => ({ mode: local.get('appearance') ?? preferred() }))

export function chooseAppearance(mode: Appearance): void {
  local.set('appearance', mode)
  useAppearance.setState({ mode })
}

/** Follows the system as long as nothing was chosen. */
export function followSystemAppearance(): void {
  window.matchMedia?.('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (local.get('appearance') === null) useAppearance.setState({ mode: preferred() })
  })
}

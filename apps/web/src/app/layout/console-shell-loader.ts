import { loadTexts } from '../../lib/i18n.ts'
import { CONSOLE_TEXTS } from '../../texts.ts'

let pending: Promise<typeof import('./console-shell.tsx')> | null = null

/** Downloads the console's frame (side menu, component library, query cache) with its texts, once. */
export async function loadConsoleShell(): Promise<typeof import('./console-shell.tsx')> {
  pending ??= import('./console-shell.tsx').catch(error => {
    pending = null
    throw error
  })
  const [module] = await Promise.all([pending, loadTexts(...CONSOLE_TEXTS)])
  return module
}

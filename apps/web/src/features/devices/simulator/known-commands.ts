import type { CommandView } from '@thingwright/contracts/commands.contract'

/**
 * What the platform knows of the commands joined to those on the page: one that left before anybody listened (it waited
 * for the device to come) wants an answer as well, and during a cut others may have ended.
 */
export function withKnown(shown: readonly CommandView[], known: readonly CommandView[]): CommandView[] {
  const ids = new Set(known.map(({ id }) => id))
  const open = (command: CommandView) => command.state === 'sent' || command.state === 'delivered'
  const found = known.flatMap(command => {
    const before = shown.find(({ id }) => id === command.id)
    if (!before) return open(command) ? [command] : []
    // A command never goes back: the patch may have been quicker than what is known.
    return [open(command) && !open(before) ? before : command]
  })
  return [...shown.filter(({ id }) => !ids.has(id)), ...found]
}

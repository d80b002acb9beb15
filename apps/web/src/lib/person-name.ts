import { text } from './i18n.ts'

/**
 * The name of a person who made or did something, as lists show it. What the platform does by itself is written down under
 * names such as `system:demo`; people read one word for all of them.
 * @param none what stands for no name
 */
export function personName(name: string | null | undefined, none = '–'): string {
  if (!name) return none
  return name.startsWith('system:') ? text('common:system') : name
}

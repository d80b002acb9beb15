import type { TimedAction } from '@thingwright/contracts/timed-tasks.contract'
import type { TFunction } from 'i18next'
import { durationText } from './schedule-text.ts'

type Words = TFunction<'timed-tasks'>

/** A step in words: `Pump 1: pump = true`. */
export function stepText(action: TimedAction, names: Record<string, string>, t: Words): string {
  if (action.kind === 'delay') return t('waits', { text: durationText(action.seconds ?? 0, t) })
  if (action.kind === 'scene') return t('runsScene', { name: names[action.sceneId ?? ''] ?? t('gone') })
  const { command } = action
  const what =
    command?.kind === 'service'
      ? (command.identifier ?? '')
      : Object.entries(command?.params ?? {})
          .map(([key, value]) => `${key} = ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
          .join(t('comma'))
  return t('sends', { to: targetText(action, names, t), what })
}

/** The targets of a step in words: tags, or devices, products or groups, the first two by name. */
export function targetText({ scope = {} }: TimedAction, names: Record<string, string>, t: Words): string {
  if (scope.tags) return scope.tags.map(tag => `#${tag}`).join(t('comma'))
  const ids = scope.deviceIds ?? scope.productIds ?? scope.groupIds ?? []
  const shown = ids.slice(0, 2).map(id => names[id] ?? t('gone'))
  return ids.length > 2 ? t('andMore', { names: shown.join(t('comma')), count: ids.length }) : shown.join(t('comma'))
}

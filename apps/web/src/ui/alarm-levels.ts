import type { AlarmLevel } from '@thingwright/contracts/alarms.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../lib/i18n.ts'
import { useRead } from '../lib/server-state/use-read.ts'
import { ALARM_COLOURS } from '../lib/tokens.ts'

export interface AlarmLevelLook {
  level: number
  name: string
  color: string
  sound: AlarmLevel['sound']
}

/**
 * The five levels as the company names, colours and sounds them, the gravest first; the usual ones until they are read.
 * @param enabled false where nothing has a level, so that nothing needs to be asked
 */
export function useAlarmLevels(enabled = true): readonly AlarmLevelLook[] {
  const { t, i18n } = useTranslation('ui')
  const { data } = useRead('alarms.levels', {}, { enabled, staleTime: 300_000 })
  return useMemo(
    () =>
      [5, 4, 3, 2, 1].map(level => {
        const own = data?.items.find(each => each.level === level)
        return {
          level,
          name: own ? (locale() === 'en' ? own.ename : own.name) : t(`alarm.${level}`),
          color: own?.color ?? ALARM_COLOURS[level]!,
          sound: own?.sound ?? 'none',
        }
      }),
    // Names follow the language.
    [data, t, i18n.language],
  )
}

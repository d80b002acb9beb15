import type { CommandView } from '@thingwright/contracts/commands.contract'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { ThingModel } from '@thingwright/thing-model/model'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { personName } from '../../../lib/person-name.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { commandTitle } from '../commands/command-title.ts'
import { kindOfState, reasonOf } from '../commands/command-words.ts'
import { useCommands } from '../commands/use-commands.ts'
import { valueWords } from '../live/value-text.ts'
import { RecentList } from './recent-list.tsx'

const SHOWN = 5

/** The last commands of the device, changing while one looks. */
export function RecentCommands({ device, model }: { device: DeviceView; model: ThingModel }) {
  const { t } = useTranslation('devices')
  const english = locale() === 'en'
  const { query, items } = useCommands(device.id, null, null)
  const setTo = (command: CommandView) => {
    const [only, ...others] = Object.entries(command.params)
    const property = model.properties.find(each => each.identifier === only?.[0])
    if (!only || others.length > 0 || !property || command.template || command.kind === 'service') return ''
    const { text, unit } = valueWords(property, only[1], { english, yes: t('yes'), no: t('no') })
    return ` ${text}${unit ? ` ${unit}` : ''}`
  }
  return (
    <RecentList
      title={t('overview.commands')}
      tab="commands"
      query={query}
      empty={t('overview.noCommands')}
      rows={items.slice(0, SHOWN).map(command => {
        const reason = reasonOf(command, t)
        return {
          key: command.id,
          title: `${commandTitle(command, model, english, t)}${setTo(command)}`,
          note: (
            <>
              {personName(command.operatorName, t(`source.${command.source}`))} · <TimeText value={command.createdAt} />
            </>
          ),
          end: (
            <StatusTag kind={kindOfState(command.state)} {...(reason ? { title: reason } : {})}>
              {t(`commandState.${command.state}`)}
            </StatusTag>
          ),
        }
      })}
    />
  )
}

import type { CommandView } from '@thingwright/contracts/commands.contract'
import type { ThingModel } from '@thingwright/thing-model/model'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'

/** What a command is called: its service, template or kind, or the properties that it sets. */
export function commandTitle(
  command: Pick<CommandView, 'kind' | 'identifier' | 'params' | 'template'>,
  model: Pick<ThingModel, 'services' | 'properties'> | null,
  english: boolean,
  t: (key: string) => string,
): string {
  if (command.kind === 'service') {
    const service = model?.services.find(each => each.identifier === command.identifier)
    return service ? nameOf(service, english) : (command.identifier ?? '')
  }
  if (command.template) return command.template.name
  if (command.kind === 'raw') return t('rawCommand')
  if (command.kind === 'firmware') return t('firmwareNotice')
  return Object.keys(command.params)
    .map(key => {
      const property = model?.properties.find(each => each.identifier === key)
      return property ? nameOf(property, english) : key
    })
    .join(', ')
}

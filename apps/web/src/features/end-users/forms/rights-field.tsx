import { END_USER_RIGHTS, type EndUserRight, wholeRights } from '@thingwright/contracts/end-users.words'
import { Checkbox } from 'antd'
import type { TFunction } from 'i18next'
import type { Field } from '../../../ui/schema-form/field.ts'

/** What may be granted, each with a line of what it lets do. */
export function rightsField(t: TFunction<'end-users'>, more: Partial<Field> = {}): Field {
  return {
    kind: 'custom',
    key: 'rights',
    label: t('rightsLabel'),
    help: t('rightsHelp'),
    render: input => {
      const chosen = (input.value as EndUserRight[] | null) ?? []
      return (
        <Checkbox.Group
          disabled={input.disabled}
          value={chosen}
          onChange={values => input.onChange(wholeRights(values as string[]))}
          options={END_USER_RIGHTS.map(right => ({ value: right, label: t(`rights.${right}`) }))}
        />
      )
    },
    ...more,
  } as Field
}

import type { TFunction } from 'i18next'
import type { Field } from '../../../ui/schema-form/field.ts'

const SUB_ADDRESS = /^[^/+#]{1,64}$/

/** How the gateway calls the device. */
export function addressField(t: TFunction<'sub-devices'>): Field {
  return {
    kind: 'string',
    key: 'subAddress',
    label: t('address'),
    help: t('addressHelp'),
    placeholder: t('byNumber'),
    maxLength: 64,
    mono: true,
    pattern: SUB_ADDRESS,
    patternText: t('addressPattern'),
  }
}

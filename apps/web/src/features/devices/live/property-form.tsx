import type { Property } from '@thingwright/thing-model/model'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { fieldOfProperty, nameOf } from '../../../ui/schema-form/from-thing-model.ts'

/** Sets a property that no control of a card can hold: structures, lists, places, times, write-only ones. */
export function PropertyForm({
  property,
  value,
  onSet,
  onClose,
}: {
  property: Property
  value: unknown
  onSet: (value: unknown) => void
  onClose: () => void
}) {
  const { t } = useTranslation('devices')
  const english = locale() === 'en'
  const fields = useMemo(() => [{ ...fieldOfProperty(property, { english }), required: true }], [property, english])
  return (
    <FormDrawer
      title={t('setProperty', { name: nameOf(property, english) })}
      fields={fields}
      initial={value === undefined ? {} : { [property.identifier]: value }}
      submitText={t('send')}
      onClose={onClose}
      onSubmit={async values => {
        onSet(values[property.identifier])
        onClose()
      }}
    />
  )
}

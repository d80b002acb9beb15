import type { ContactView } from '@thingwright/contracts/contacts.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'

/** Adds or changes a contact. */
export function ContactDrawer({ contact, onClose }: { contact: ContactView | null; onClose: () => void }) {
  const { t } = useTranslation('contacts')
  const create = useAct('contacts.create')
  const update = useAct('contacts.update')
  const fields = useMemo<Field[]>(
    () => [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      {
        key: 'email',
        kind: 'string',
        label: t('email'),
        required: true,
        maxLength: 254,
        pattern: /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/,
        patternText: t('emailRule'),
        help: t('emailHelp'),
      },
      {
        key: 'minLevel',
        kind: 'enum',
        label: t('minLevel'),
        required: true,
        half: true,
        options: [1, 2, 3, 4, 5].map(level => ({ value: level, label: t('fromLevel', { level }) })),
      },
      {
        key: 'locale',
        kind: 'enum',
        label: t('locale'),
        required: true,
        half: true,
        options: [
          { value: 'zh', label: t('localeZh') },
          { value: 'en', label: t('localeEn') },
        ],
      },
      { key: 'enabled', kind: 'bool', label: t('enabled') },
    ],
    [t],
  )
  const initial = useMemo(
    () =>
      contact
        ? {
            name: contact.name,
            email: contact.email,
            minLevel: contact.minLevel,
            locale: contact.locale,
            enabled: contact.enabled,
          }
        : { minLevel: 3, locale: t('ownLocale'), enabled: true },
    [contact, t],
  )
  return (
    <FormDrawer
      title={contact ? t('editTitle') : t('createTitle')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async values => {
        if (contact)
          await update.send({
            params: { id: contact.id },
            body: { ...values, version: contact.version } as Body<'contacts.update'>,
          })
        else await create.send({ body: values as Body<'contacts.create'> })
        notify.success(contact ? t('saved') : t('added'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}

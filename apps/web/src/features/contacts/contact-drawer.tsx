import type { ContactView } from '@thingwright/contracts/contacts.contract'
import { PERSONAL_CHANNELS, type PersonalChannel } from '@thingwright/contracts/contacts.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'

const NEEDS = { email: 'email', sms: 'phone', voice: 'phone', wechat: 'wechatOpenid' } as const
const isSet = (value: unknown) => typeof value === 'string' && value !== ''

/** Adds or changes a contact. @param userId the end user whose contact a new one becomes; null: of the caller */
export function ContactDrawer({
  contact,
  userId,
  onClose,
}: {
  contact: ContactView | null
  userId: string | null
  onClose: () => void
}) {
  const { t } = useTranslation('contacts')
  const create = useAct('contacts.create')
  const update = useAct('contacts.update')
  const offered = useRead('contacts.ways')
  const ways = offered.data?.ways ?? PERSONAL_CHANNELS
  const fields = useMemo<Field[]>(
    () => [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      {
        key: 'email',
        kind: 'string',
        label: t('email'),
        maxLength: 254,
        pattern: /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/,
        patternText: t('emailRule'),
        help: t('emailHelp'),
      },
      { key: 'phone', kind: 'string', label: t('phone'), maxLength: 20, half: true, help: t('phoneHelp') },
      {
        key: 'wechatOpenid',
        kind: 'string',
        label: t('wechat'),
        maxLength: 64,
        half: true,
        pattern: /^[A-Za-z0-9_-]{6,64}$/,
        patternText: t('wechatRule'),
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
      {
        key: 'perHour',
        kind: 'number',
        label: t('perHour'),
        integer: true,
        min: 1,
        max: 180,
        half: true,
        help: t('perHourHelp'),
      },
      {
        key: 'quietFrom',
        kind: 'string',
        label: t('quietFrom'),
        half: true,
        placeholder: '22:00',
        pattern: /^([01]\d|2[0-3]):[0-5]\d$/,
        patternText: t('clockRule'),
        help: t('quietHelp'),
      },
      {
        key: 'quietTo',
        kind: 'string',
        label: t('quietTo'),
        half: true,
        placeholder: '06:00',
        pattern: /^([01]\d|2[0-3]):[0-5]\d$/,
        patternText: t('clockRule'),
        required: true,
        visible: values => typeof values.quietFrom === 'string' && values.quietFrom !== '',
      },
      ...ways.map(
        (way): Field => ({
          key: `way_${way}`,
          kind: 'bool',
          label: t('customer.by', { way: t(`way.${way}`) }),
          half: true,
          visible: values =>
            way === 'push'
              ? contact?.hasPush === true
              : way === 'applet'
                ? contact?.hasApplet === true
                : isSet(values[NEEDS[way]]),
        }),
      ),
      { key: 'escalationOnly', kind: 'bool', label: t('escalationOnlyField'), help: t('escalationOnlyHelp') },
      { key: 'enabled', kind: 'bool', label: t('enabled') },
    ],
    [t, ways, contact],
  )
  const initial = useMemo(
    () =>
      contact
        ? {
            name: contact.name,
            email: contact.email,
            phone: contact.phone,
            wechatOpenid: contact.wechatOpenid,
            perHour: contact.perHour,
            quietFrom: contact.quiet?.from,
            quietTo: contact.quiet?.to,
            escalationOnly: contact.escalationOnly,
            minLevel: contact.minLevel,
            locale: contact.locale,
            enabled: contact.enabled,
            ...chosenWays(contact.ways),
          }
        : { minLevel: 3, locale: t('ownLocale'), enabled: true, ...chosenWays(null) },
    [contact, t],
  )
  return (
    <FormDrawer
      title={contact ? t('editTitle') : t('createTitle')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async ({ quietFrom, quietTo, ...rest }, newer) => {
        const zone = contact?.quiet?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
        // The gravest wake people all the same.
        const exceptLevel = contact?.quiet ? contact.quiet.exceptLevel : 5
        const chosen = PERSONAL_CHANNELS.filter(way =>
          ways.includes(way) ? rest[`way_${way}`] !== false : (contact?.ways?.includes(way) ?? true),
        )
        const settings = Object.fromEntries(Object.entries(rest).filter(([key]) => !key.startsWith('way_')))
        const values = {
          ...settings,
          ways: chosen.length === PERSONAL_CHANNELS.length ? null : chosen,
          quiet: quietFrom ? { from: quietFrom, to: quietTo, zone, exceptLevel } : null,
        }
        if (contact)
          await update.send({
            params: { id: contact.id },
            body: { ...values, version: newer ?? contact.version } as Body<'contacts.update'>,
          })
        else await create.send({ body: { ...values, ...(userId ? { userId } : {}) } as Body<'contacts.create'> })
        notify.success(contact ? t('saved') : t('added'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}

/** Each way as a switch of the form. @param ways null: all of them */
function chosenWays(ways: readonly PersonalChannel[] | null): Record<string, boolean> {
  return Object.fromEntries(PERSONAL_CHANNELS.map(way => [`way_${way}`, ways === null || ways.includes(way)]))
}

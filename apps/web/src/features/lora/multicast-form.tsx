import { LORA_MULTICAST_TYPES, LORA_REGIONS } from '@thingwright/contracts/lora.words'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { Field, Values } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'

const KEY = /^[0-9a-f]{32}$/i

/** Makes a multicast group in ChirpStack. */
export function MulticastForm({
  connectionId,
  onMade,
  onClose,
}: {
  connectionId: string
  onMade: (groupId: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation('lora')
  const create = useAct('loraMulticast.create', { touches: ['loraMulticast'] })
  const applications = useRead('loraLinks.applications', { params: { id: connectionId } }).data?.items
  const fields = useMemo<Field[]>(
    () => [
      { key: 'name', kind: 'string', label: t('multicast.name'), required: true, maxLength: 100 },
      {
        key: 'applicationId',
        kind: 'enum',
        label: t('multicast.application'),
        required: true,
        options: (applications ?? []).map(({ id, name }) => ({ value: id, label: name })),
      },
      {
        key: 'region',
        kind: 'enum',
        label: t('multicast.region'),
        required: true,
        half: true,
        options: LORA_REGIONS.map(value => ({ value, label: value })),
      },
      {
        key: 'type',
        kind: 'enum',
        label: t('multicast.type'),
        required: true,
        half: true,
        display: 'segmented',
        options: LORA_MULTICAST_TYPES.map(value => ({ value, label: t(`multicast.types.${value}`) })),
      },
      {
        key: 'mcAddr',
        kind: 'string',
        label: t('multicast.mcAddr'),
        required: true,
        mono: true,
        maxLength: 8,
        help: t('multicast.mcAddrHelp'),
        pattern: /^[0-9a-f]{8}$/i,
        patternText: t('multicast.addrRule'),
      },
      ...(['mcNwkSKey', 'mcAppSKey'] as const).map<Field>(key => ({
        key,
        kind: 'string',
        label: t(key === 'mcNwkSKey' ? 'multicast.nwkSKey' : 'multicast.appSKey'),
        required: true,
        secret: true,
        maxLength: 32,
        help: t('multicast.keyHelp'),
        pattern: KEY,
        patternText: t('multicast.keyRule'),
      })),
      {
        key: 'dr',
        kind: 'number',
        label: t('multicast.dr'),
        integer: true,
        min: 0,
        max: 15,
        required: true,
        half: true,
      },
      {
        key: 'frequency',
        kind: 'number',
        label: t('multicast.frequency'),
        integer: true,
        min: 100_000_000,
        max: 2_500_000_000,
        required: true,
        half: true,
        help: t('multicast.frequencyHelp'),
      },
      {
        key: 'pingSlotPeriodicity',
        kind: 'number',
        label: t('multicast.pingSlot'),
        integer: true,
        min: 0,
        max: 7,
        visible: ({ type }) => type === 'class_b',
      },
    ],
    [t, applications],
  )
  const [initial] = useState<Values>({ region: 'CN470', type: 'class_c', dr: 0, frequency: 505_300_000 })
  return (
    <FormDrawer
      title={t('multicast.add')}
      fields={fields}
      initial={initial}
      submitText={t('create')}
      onSubmit={async values => {
        const given = Object.fromEntries(Object.entries({ ...initial, ...values }).filter(([, value]) => value != null))
        const { groupId } = await create.send({
          params: { id: connectionId },
          body: given as Body<'loraMulticast.create'>,
        })
        notify.success(t('saved'))
        onMade(groupId)
      }}
      onClose={onClose}
    />
  )
}

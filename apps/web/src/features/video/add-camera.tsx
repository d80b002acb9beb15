import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import { useAccounts, VIDEO_DATA } from './hooks.ts'

/** Adds a camera or recorder to an account by what stands on its label. */
export function AddCamera({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('video')
  const { items } = useAccounts()
  const accounts = useMemo(() => items.filter(({ state }) => state !== 'disabled'), [items])
  const add = useAct('videoAccounts.addDevice', { touches: VIDEO_DATA })
  const fields = useMemo<Field[]>(
    () => [
      {
        key: 'accountId',
        kind: 'enum',
        label: t('account.one'),
        required: true,
        options: accounts.map(({ id, name }) => ({ value: id, label: name })),
        ...(accounts.length === 0 ? { help: t('account.emptyText') } : {}),
      },
      {
        key: 'serial',
        kind: 'string',
        label: t('serial'),
        required: true,
        mono: true,
        half: true,
        maxLength: 16,
        pattern: /^[A-Za-z0-9]{6,16}$/,
        patternText: t('serialRule'),
      },
      {
        key: 'code',
        kind: 'string',
        label: t('code'),
        required: true,
        mono: true,
        half: true,
        maxLength: 6,
        pattern: /^[A-Za-z0-9]{6}$/,
        patternText: t('codeRule'),
        help: t('codeHelp'),
      },
      { key: 'name', kind: 'string', label: t('name'), maxLength: 64, help: t('nameHelp') },
    ],
    [t, accounts],
  )
  const initial = useMemo(() => (accounts.length === 1 ? { accountId: accounts[0]!.id } : {}), [accounts])
  return (
    <FormDrawer
      title={t('add.camera')}
      fields={fields}
      initial={initial}
      submitText={t('add.submit')}
      onSubmit={async values => {
        const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''))
        const { items: added } = await add.send({ body: given as Body<'videoAccounts.addDevice'> })
        notify.success(t('add.done', { count: added.length }))
        onClose()
      }}
      onClose={onClose}
    />
  )
}

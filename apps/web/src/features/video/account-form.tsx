import type { VideoAccountView } from '@thingwright/contracts/video.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import { VIDEO_DATA } from './hooks.ts'

/** Connects an EZVIZ account, or changes one; a secret that is left empty stays as it is. */
export function AccountForm({ account, onClose }: { account: VideoAccountView | null; onClose: () => void }) {
  const { t } = useTranslation('video')
  const create = useAct('videoAccounts.create', { touches: VIDEO_DATA })
  const update = useAct('videoAccounts.update', { touches: VIDEO_DATA })
  const fields = useMemo<Field[]>(
    () => [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      {
        key: 'appKey',
        kind: 'string',
        label: 'AppKey',
        required: true,
        mono: true,
        maxLength: 200,
        help: t('account.appKeyHelp'),
      },
      {
        key: 'appSecret',
        kind: 'string',
        label: 'AppSecret',
        required: account === null,
        secret: true,
        maxLength: 200,
        help: t('account.secretHelp'),
        ...(account ? { placeholder: t('account.unchanged') } : {}),
      },
      {
        key: 'baseUrl',
        kind: 'string',
        label: t('account.baseUrl'),
        mono: true,
        maxLength: 400,
        placeholder: 'https://open.ys7.com',
        help: t('account.baseUrlHelp'),
        check: value => (/^https?:\/\/\S+$/i.test(String(value)) ? null : t('account.baseUrlRule')),
      },
      ...(account ? [{ key: 'disabled', kind: 'bool' as const, label: t('account.disabled') }] : []),
    ],
    [t, account],
  )
  const initial = useMemo(
    () => ({
      name: account?.name,
      appKey: account?.appKey,
      baseUrl: account?.baseUrl,
      disabled: account?.state === 'disabled',
    }),
    [account],
  )
  return (
    <FormDrawer
      title={account ? t('account.edit') : t('account.add')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async ({ disabled, ...values }, newer) => {
        const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''))
        if (account)
          await update.send({
            params: { id: account.id },
            body: {
              ...given,
              ...(disabled === (account.state === 'disabled') ? {} : { disabled }),
              version: newer ?? account.version,
            } as Body<'videoAccounts.update'>,
          })
        else await create.send({ body: given as Body<'videoAccounts.create'> })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}

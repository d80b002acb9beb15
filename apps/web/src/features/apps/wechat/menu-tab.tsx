import { WECHAT_BUTTON_KINDS, WECHAT_ENTRY_KINDS } from '@thingwright/contracts/apps.words'
import type { WechatMenuView } from '@thingwright/contracts/wechat-followers.contract'
import { Alert, Skeleton } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { ErrorState } from '../../../ui/states.tsx'
import { FormPanel } from '../form-panel.tsx'

/** The menu below the account’s messages, published at WeChat when it is saved. */
export function MenuTab({ accountId, mayWrite }: { accountId: string; mayWrite: boolean }) {
  const menu = useRead('wechatFollowers.menu', { params: { id: accountId } })
  if (menu.isError)
    return (
      <Panel>
        <ErrorState error={menu.error} onRetry={() => void menu.refetch()} />
      </Panel>
    )
  if (!menu.data)
    return (
      <Panel>
        <Skeleton active />
      </Panel>
    )
  return <MenuForm key={JSON.stringify(menu.data)} accountId={accountId} menu={menu.data} mayWrite={mayWrite} />
}

function MenuForm({ accountId, menu, mayWrite }: { accountId: string; menu: WechatMenuView; mayWrite: boolean }) {
  const { t } = useTranslation('apps')
  const publish = useAct('wechatFollowers.setMenu')
  const fields = useMemo<Field[]>(() => {
    const typeField = (words: readonly (typeof WECHAT_BUTTON_KINDS)[number][]): Field => ({
      kind: 'enum',
      key: 'type',
      label: t('menu.type'),
      required: true,
      half: true,
      options: words.map(value => ({ value, label: t(`menu.types.${value}`) })),
    })
    const value: Field = {
      kind: 'string',
      key: 'value',
      label: t('menu.value'),
      help: t('menu.valueHelp'),
      maxLength: 1024,
      cleared: '',
      visible: values => values.type !== 'group',
    }
    return [
      {
        kind: 'array',
        key: 'buttons',
        label: t('menu.buttons'),
        maxItems: 3,
        fresh: () => ({ name: '', type: 'view', value: '', entries: [] }),
        element: {
          kind: 'object',
          key: '',
          label: '',
          fields: [
            { kind: 'string', key: 'name', label: t('menu.name'), required: true, maxLength: 16, half: true },
            typeField(WECHAT_BUTTON_KINDS),
            value,
            {
              kind: 'array',
              key: 'entries',
              label: t('menu.entries'),
              maxItems: 5,
              visible: values => values.type === 'group',
              fresh: () => ({ name: '', type: 'view', value: '' }),
              element: {
                kind: 'object',
                key: '',
                label: '',
                fields: [
                  { kind: 'string', key: 'name', label: t('menu.name'), required: true, maxLength: 60, half: true },
                  typeField(WECHAT_ENTRY_KINDS),
                  value,
                ],
              },
            },
          ],
        },
      },
    ]
  }, [t])
  const form = useSchemaForm(fields, { buttons: menu.buttons })
  return (
    <FormPanel
      title={t('menu.title')}
      hint={t('menu.hint')}
      form={form}
      disabled={!mayWrite}
      waiting={!menu.published}
      notice={menu.published ? null : <Alert type="info" showIcon title={t('menu.waiting')} />}
      saveText={t('menu.publish')}
      onSave={async values => {
        const given = (
          (values.buttons ?? form.values.buttons ?? []) as Partial<WechatMenuView['buttons'][number]>[]
        ).map(button => ({
          name: button.name ?? '',
          type: button.type ?? 'view',
          value: button.value ?? '',
          entries: (button.entries ?? []).map(entry => ({ ...entry, value: entry.value ?? '' })),
        }))
        await publish.send({ params: { id: accountId }, body: { buttons: given } as Body<'wechatFollowers.setMenu'> })
        notify.success(t('menu.published'))
      }}
    />
  )
}

import { WECHAT_REPLY_KINDS } from '@thingwright/contracts/apps.words'
import type { WechatReplies } from '@thingwright/contracts/wechat-followers.contract'
import { Skeleton } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { ErrorState } from '../../../ui/states.tsx'
import { FormPanel } from '../form-panel.tsx'

type Rule = WechatReplies['items'][number]

/** What the account answers by itself. */
export function RepliesTab({ accountId, mayWrite }: { accountId: string; mayWrite: boolean }) {
  const replies = useRead('wechatFollowers.replies', { params: { id: accountId } })
  if (replies.isError)
    return (
      <Panel>
        <ErrorState error={replies.error} onRetry={() => void replies.refetch()} />
      </Panel>
    )
  if (!replies.data)
    return (
      <Panel>
        <Skeleton active />
      </Panel>
    )
  const { items } = replies.data
  return <RepliesForm key={JSON.stringify(items)} accountId={accountId} items={items} mayWrite={mayWrite} />
}

function RepliesForm({ accountId, items, mayWrite }: { accountId: string; items: Rule[]; mayWrite: boolean }) {
  const { t } = useTranslation('apps')
  const set = useAct('wechatFollowers.setReplies')
  const fields = useMemo<Field[]>(
    () => [
      {
        kind: 'array',
        key: 'items',
        label: t('reply.rules'),
        maxItems: 50,
        fresh: () => ({ kind: 'keyword', keyword: '', whole: false, answer: '', enabled: true }),
        element: {
          kind: 'object',
          key: '',
          label: '',
          fields: [
            {
              kind: 'enum',
              key: 'kind',
              label: t('reply.kind'),
              required: true,
              half: true,
              options: WECHAT_REPLY_KINDS.map(value => ({ value, label: t(`reply.kinds.${value}`) })),
            },
            {
              kind: 'string',
              key: 'keyword',
              label: t('reply.keyword'),
              maxLength: 30,
              half: true,
              cleared: '',
              visible: values => values.kind === 'keyword',
            },
            { kind: 'string', key: 'answer', label: t('reply.answer'), required: true, rows: 3, maxLength: 600 },
            {
              kind: 'bool',
              key: 'whole',
              label: t('reply.whole'),
              half: true,
              visible: values => values.kind === 'keyword',
            },
            { kind: 'bool', key: 'enabled', label: t('reply.enabled'), half: true },
          ],
        },
      },
    ],
    [t],
  )
  const form = useSchemaForm(fields, { items })
  return (
    <FormPanel
      title={t('reply.title')}
      hint={t('reply.hint')}
      form={form}
      disabled={!mayWrite}
      onSave={async values => {
        const rules = ((values.items ?? form.values.items ?? []) as Partial<Rule>[]).map(rule => ({
          kind: rule.kind ?? 'keyword',
          keyword: rule.keyword ?? '',
          whole: rule.whole ?? false,
          answer: rule.answer ?? '',
          enabled: rule.enabled ?? true,
        }))
        await set.send({ params: { id: accountId }, body: { items: rules } })
        notify.success(t('saved'))
      }}
    />
  )
}

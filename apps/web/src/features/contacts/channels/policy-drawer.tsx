import { OWN_CHANNELS, PERSONAL_CHANNELS } from '@thingwright/contracts/contacts.words'
import type { NotificationPolicyView } from '@thingwright/contracts/notification-channels.contract'
import { Button, Drawer, Select, Skeleton, Switch } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { InputNumber } from '../../../ui/input-number.tsx'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import css from '../contacts.module.css'

const WAYS = [...PERSONAL_CHANNELS, 'inbox'] as const
const OWN = new Set<string>(OWN_CHANNELS)

/** How alarms of each level leave, and who is told when nobody acknowledges. */
export function PolicyDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('contacts')
  const read = useRead('notificationChannels.policy')
  return read.data ? (
    <Editor key={read.data.version} policy={read.data} onClose={onClose} />
  ) : (
    <Drawer open size={720} title={t('policy.title')} onClose={onClose}>
      {read.isError ? <ErrorState error={read.error} onRetry={() => void read.refetch()} /> : <Skeleton active />}
    </Drawer>
  )
}

function Editor({ policy, onClose }: { policy: NotificationPolicyView; onClose: () => void }) {
  const { t } = useTranslation('contacts')
  const [draft, setDraft] = useState(policy)
  const [failure, setFailure] = useState<unknown>(null)
  const mayWrite = useMay('notificationChannels.setPolicy')
  const contacts = useRead('contacts.list', { query: { limit: 100 } })
  const groups = useRead('notificationChannels.groups', { query: { limit: 100 } })
  const channels = useRead('notificationChannels.list', { query: { limit: 100 } })
  const dirty = JSON.stringify(draft) !== JSON.stringify(policy)
  const guard = useUnsavedGuard(dirty)
  const save = useAct('notificationChannels.setPolicy', {
    done: () => {
      notify.success(t('saved'))
      onClose()
    },
  })
  const ways = [
    ...WAYS.map(value => ({ value: value as string, label: t(`way.${value}`) })),
    ...(channels.data?.items ?? []).filter(one => OWN.has(one.kind)).map(one => ({ value: one.id, label: one.name })),
  ]
  const people = [
    ...(groups.data?.items ?? []).map(one => ({ value: `g:${one.id}`, label: t('policy.group', { name: one.name }) })),
    ...(contacts.data?.items ?? []).map(one => ({ value: `c:${one.id}`, label: one.name })),
  ]
  const setStep = (at: number, to: Partial<NotificationPolicyView['escalation'][number]>) =>
    setDraft(now => ({ ...now, escalation: now.escalation.map((step, i) => (i === at ? { ...step, ...to } : step)) }))
  return (
    <Drawer
      open
      size={720}
      title={t('policy.title')}
      onClose={() => guard.ask(onClose)}
      footer={
        mayWrite && (
          <Button
            type="primary"
            disabled={!dirty}
            loading={save.pending}
            onClick={() => {
              setFailure(null)
              save.send({ body: draft }).catch(setFailure)
            }}
          >
            {t('save')}
          </Button>
        )
      }
    >
      <div className={css.stack}>
        {failure !== null && <FormAlert error={failure} />}
        <p>{t('policy.text')}</p>
        {[...draft.levels].reverse().map(({ level, channels: chosen }) => (
          <div key={level} className={css.stack}>
            <b>{t('policy.level', { level })}</b>
            <Select
              mode="multiple"
              aria-label={t('policy.level', { level })}
              value={chosen}
              options={ways}
              optionFilterProp="label"
              placeholder={t('policy.nobody')}
              onChange={next =>
                setDraft(now => ({
                  ...now,
                  levels: now.levels.map(one => (one.level === level ? { level, channels: next } : one)),
                }))
              }
            />
          </div>
        ))}
        <h3>{t('policy.escalation')}</h3>
        <p>{t('policy.escalationText')}</p>
        {draft.escalation.map((step, at) => (
          <div key={at} className={css.step}>
            <InputNumber
              aria-label={t('policy.after')}
              prefix={t('policy.after')}
              min={1}
              max={10_080}
              precision={0}
              value={step.afterMinutes}
              onChange={value => setStep(at, { afterMinutes: value ?? 1 })}
            />
            <Select
              aria-label={t('minLevel')}
              value={step.minLevel}
              options={[1, 2, 3, 4, 5].map(level => ({ value: level, label: t('fromLevel', { level }) }))}
              onChange={minLevel => setStep(at, { minLevel })}
            />
            <Select
              mode="multiple"
              aria-label={t('policy.people')}
              placeholder={t('policy.people')}
              value={[...step.groupIds.map(id => `g:${id}`), ...step.contactIds.map(id => `c:${id}`)]}
              options={people}
              optionFilterProp="label"
              onChange={next =>
                setStep(at, {
                  groupIds: next.filter(id => id.startsWith('g:')).map(id => id.slice(2)),
                  contactIds: next.filter(id => id.startsWith('c:')).map(id => id.slice(2)),
                })
              }
            />
            <Select
              mode="multiple"
              aria-label={t('policy.ways')}
              placeholder={t('policy.ways')}
              value={step.channels}
              options={ways}
              optionFilterProp="label"
              onChange={next => setStep(at, { channels: next })}
            />
            <Button
              onClick={() =>
                setDraft(now => ({ ...now, escalation: now.escalation.filter((_, place) => place !== at) }))
              }
            >
              {t('policy.removeStep')}
            </Button>
          </div>
        ))}
        {draft.escalation.length < 10 && (
          <Button
            onClick={() =>
              setDraft(now => ({
                ...now,
                escalation: [
                  ...now.escalation,
                  {
                    afterMinutes: (now.escalation.at(-1)?.afterMinutes ?? 0) + 15,
                    minLevel: 3,
                    contactIds: [],
                    groupIds: [],
                    channels: ['email'],
                  },
                ],
              }))
            }
          >
            {t('policy.addStep')}
          </Button>
        )}
        <h3>{t('customer.title')}</h3>
        <p>{t('customer.text')}</p>
        <Select
          mode="multiple"
          aria-label={t('customer.title')}
          value={draft.customerWays}
          options={PERSONAL_CHANNELS.map(value => ({ value, label: t(`way.${value}`) }))}
          placeholder={t('policy.nobody')}
          onChange={customerWays => setDraft(now => ({ ...now, customerWays }))}
        />
        <p>
          <Switch
            aria-label={t('policy.recovery')}
            checked={draft.recovery}
            onChange={recovery => setDraft(now => ({ ...now, recovery }))}
          />{' '}
          {t('policy.recovery')}
        </p>
      </div>
      {guard.dialog}
    </Drawer>
  )
}

import type { SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { Alert, Button, DatePicker, Modal } from 'antd'
import dayjs from 'dayjs'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { isSilent } from '../../../lib/errors.ts'
import { epochOf, formatDateTime, formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useSubscriptionChanged } from '../hooks.ts'
import css from '../subscriptions.module.css'

const BACK = { '10m': 600_000, '1h': 3_600_000, '24h': 86_400_000 } as const

/** Delivers again what came since a time. */
export function ReplayDialog({ view, onClose }: { view: SubscriptionView; onClose: () => void }) {
  const { t } = useTranslation('subscriptions')
  const changed = useSubscriptionChanged()
  const id = useId()
  const oldest = epochOf(view.replayFrom)
  const [from, setFrom] = useState<number>(() => Math.max(Date.now() - BACK['1h'], oldest ?? 0))
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const run = async () => {
    setBusy(true)
    setFailure(null)
    try {
      const { items } = await call('subscriptions.replay', { params: { id: view.id }, body: { from } })
      notify.success(t('replayed', { count: items, text: formatNumber(items) }))
      onClose()
    } catch (error) {
      if (!isSilent(error)) setFailure(error)
    } finally {
      setBusy(false)
      changed({ id: view.id })
    }
  }
  return (
    <Modal
      open
      width={480}
      title={t('replayTitle')}
      okText={t('replay')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: busy, disabled: oldest === null }}
      onOk={() => void run()}
      onCancel={onClose}
    >
      <div className={css.column}>
        {failure !== null && <FormAlert error={failure} />}
        {oldest === null ? (
          <Alert type="info" showIcon title={t('replayNothing')} />
        ) : (
          <>
            <p className={css.text}>{t('replayText')}</p>
            <div>
              <label className={css.label} htmlFor={id}>
                {t('replayFrom')}
              </label>
              <DatePicker
                id={id}
                showTime
                allowClear={false}
                style={{ width: '100%' }}
                value={dayjs(from)}
                minDate={dayjs(oldest)}
                maxDate={dayjs()}
                onChange={moment => moment && setFrom(moment.valueOf())}
              />
              <p className={css.hint}>{t('replayOldest', { time: formatDateTime(oldest) })}</p>
            </div>
            <div className={css.row}>
              {Object.entries(BACK).map(([name, ms]) => (
                <Button key={name} size="small" onClick={() => setFrom(Math.max(Date.now() - ms, oldest))}>
                  {t(`last.${name}`)}
                </Button>
              ))}
              <Button size="small" onClick={() => setFrom(oldest)}>
                {t('last.all')}
              </Button>
            </div>
          </>
        )}
      </div>
    </Modal>
  )
}

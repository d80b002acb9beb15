import { Drawer, Skeleton } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body, Reply } from '../../../lib/api-client.ts'
import { formatMoney, formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { ErrorState } from '../../../ui/states.tsx'

const MONEY = /^\d{1,8}(\.\d{1,2})?$/
const EITHER = /^-?\d{1,8}(\.\d{1,2})?$/

/** Gives a company money or units, corrects its balance, sets its credit line. */
export function WalletDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('operator')
  const read = useRead('moneyDesk.wallet', { params: { id } })
  if (read.data) return <Form id={id} wallet={read.data} onClose={onClose} />
  return (
    <Drawer open size={480} title={t('wallet.act')} onClose={onClose}>
      {read.isError ? (
        <ErrorState error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton active paragraph={{ rows: 6 }} />
      )}
    </Drawer>
  )
}

function Form({ id, wallet, onClose }: { id: string; wallet: Reply<'moneyDesk.wallet'>; onClose: () => void }) {
  const { t } = useTranslation('operator')
  const credit = useAct('moneyDesk.credit')
  const fields = useMemo<Field[]>(() => {
    const yuan = (key: string, pattern: RegExp, help: string): Field => ({
      kind: 'string',
      key,
      label: t(`wallet.${key}`),
      half: true,
      help,
      pattern,
      patternText: t('wallet.rule'),
    })
    const units = (key: 'sms' | 'voice'): Field => {
      const left = wallet.units.find(({ kind }) => kind === key)?.left ?? 0
      return {
        kind: 'number',
        integer: true,
        key,
        label: t(`wallet.${key}`),
        half: true,
        min: 1,
        max: 1_000_000,
        help: t('wallet.left', { count: formatNumber(left) }),
      }
    }
    return [
      yuan('gift', MONEY, t('wallet.available', { amount: formatMoney(wallet.availableFen) })),
      yuan('adjust', EITHER, t('wallet.adjustHelp')),
      yuan('credit', MONEY, t('wallet.creditHelp')),
      { kind: 'number', integer: true, key: 'unitMonths', label: t('wallet.unitMonths'), half: true, min: 1, max: 60 },
      units('sms'),
      units('voice'),
      {
        kind: 'string',
        key: 'reason',
        label: t('wallet.reason'),
        required: true,
        rows: 2,
        maxLength: 200,
        help: t('wallet.reasonHelp'),
      },
    ]
  }, [t, wallet])
  return (
    <FormDrawer
      title={t('wallet.act')}
      fields={fields}
      initial={{ credit: (wallet.creditFen / 100).toFixed(2), unitMonths: 12 }}
      submitText={t('save')}
      onClose={onClose}
      onSubmit={async values => {
        const { gift, adjust, credit: line, sms, voice, unitMonths, reason } = values
        const given = { giftFen: fen(gift), adjustFen: fen(adjust) }
        const creditFen = fen(line)
        const body = {
          ...Object.fromEntries(Object.entries(given).filter(([, value]) => value)),
          ...(creditFen !== null && creditFen !== wallet.creditFen ? { creditFen } : {}),
          ...(sms ? { sms } : {}),
          ...(voice ? { voice } : {}),
          ...((sms || voice) && unitMonths ? { unitMonths } : {}),
          reason,
        } as Body<'moneyDesk.credit'>
        await credit.send({ params: { id }, body })
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}

/** Yuan as they were typed, in fen; null: none. */
function fen(value: unknown): number | null {
  const parts = typeof value === 'string' ? /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(value.trim()) : null
  if (!parts) return null
  const amount = Number(parts[2]) * 100 + Number((parts[3] ?? '').padEnd(2, '0'))
  return parts[1] ? -amount : amount
}

import { PlusOutlined } from '@ant-design/icons'
import type { AssetsView } from '@thingwright/contracts/purchase-orders.contract'
import { Button, Checkbox, Input, Modal, Progress, Skeleton } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { formatBytes, formatDate, formatMoney, formatNumber } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel, Stack } from '../../ui/panel.tsx'
import { ErrorState, NoPermissionState } from '../../ui/states.tsx'
import { BALANCE, CONSUMPTION, PACKS, PURCHASE, RECHARGES, UNIT_USES } from './addresses.ts'
import { ChargesChart, colourOf } from './charges-chart.tsx'
import { MONEY } from './hooks.ts'
import css from './money.module.css'
import { fenOf, nameOf } from './words.ts'

const DAY_MS = 86_400_000

/** What the company has: balance, plan, bill, units and use of its quotas. */
export function AssetsPage() {
  const { t } = useTranslation('money')
  const allowed = useMay('purchaseOrders.assets')
  const read = useRead('purchaseOrders.assets', {}, { enabled: allowed })
  if (!allowed) return <NoPermissionState of="purchaseOrders.assets" />
  return (
    <>
      <PageHeader
        title={t('assets.title')}
        description={t('assets.lead')}
        actions={<Link to={BALANCE}>{t('entry.title')}</Link>}
      />
      {read.isError ? (
        <Panel>
          <ErrorState error={read.error} onRetry={() => void read.refetch()} />
        </Panel>
      ) : !read.data ? (
        <Panel>
          <Skeleton active paragraph={{ rows: 10 }} />
        </Panel>
      ) : (
        <Stack>
          <div className={css.cards}>
            <Balance assets={read.data} />
            <Plan assets={read.data} />
            <Bill assets={read.data} />
          </div>
          <Charges />
          <Left assets={read.data} />
        </Stack>
      )}
    </>
  )
}

function Balance({ assets: { wallet } }: { assets: AssetsView }) {
  const { t } = useTranslation('money')
  const navigate = useNavigate()
  const mayPay = useMay('purchaseOrders.recharge')
  const [setting, setSetting] = useState(false)
  return (
    <Panel title={t('assets.available')}>
      <div className={css.line}>
        <p className={css.big}>{formatMoney(wallet.availableFen)}</p>
        {mayPay && (
          <Button
            type="primary"
            icon={<PlusOutlined aria-hidden />}
            onClick={() => void navigate(`${RECHARGES}?create=1`)}
          >
            {t('recharge.act')}
          </Button>
        )}
      </div>
      <p className={css.muted}>
        {t('assets.frozen')} <b>{formatMoney(wallet.frozenFen)}</b> · {t('assets.credit')}{' '}
        <b>{formatMoney(wallet.creditFen)}</b>
      </p>
      <p className={css.muted}>
        {wallet.warnFen === null ? t('assets.noWarning') : t('assets.warning', { amount: formatMoney(wallet.warnFen) })}{' '}
        {mayPay && (
          <Button type="link" size="small" onClick={() => setSetting(true)}>
            {t('assets.set')}
          </Button>
        )}
      </p>
      {setting && <WarningDialog wallet={wallet} onClose={() => setSetting(false)} />}
    </Panel>
  )
}

function WarningDialog({ wallet, onClose }: { wallet: AssetsView['wallet']; onClose: () => void }) {
  const { t } = useTranslation('money')
  const [text, setText] = useState(wallet.warnFen === null ? '' : String(wallet.warnFen / 100))
  const [urgent, setUrgent] = useState(wallet.urgentOnBalance)
  const save = useAct('wallets.settings', { touches: MONEY, done: onClose })
  const fen = fenOf(text)
  const wrong = text.trim() !== '' && fen === null
  return (
    <Modal
      open
      title={t('assets.warningTitle')}
      okText={t('save')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: wrong, loading: save.pending }}
      onOk={() =>
        void save.run({
          body: {
            version: wallet.version,
            warnFen: text.trim() === '' ? null : (fen ?? null),
            urgentOnBalance: urgent,
          },
        })
      }
      onCancel={onClose}
      destroyOnHidden
    >
      <Input
        value={text}
        prefix="¥"
        inputMode="decimal"
        status={wrong ? 'error' : ''}
        aria-label={t('assets.warningTitle')}
        onChange={event => setText(event.target.value)}
      />
      <p className={css.muted}>{t('assets.warningText')}</p>
      <Checkbox checked={urgent} onChange={event => setUrgent(event.target.checked)}>
        {t('assets.urgent')}
      </Checkbox>
      <p className={css.muted}>{t('assets.urgentText')}</p>
    </Modal>
  )
}

function Plan({ assets: { plan, term } }: { assets: AssetsView }) {
  const { t } = useTranslation('money')
  return (
    <Panel title={t('purchase.present')}>
      <p className={css.big}>{plan ? nameOf(plan) : t(`term.${term.status}`)}</p>
      <p className={css.muted}>
        {term.expiresAt ? t('assets.until', { date: formatDate(term.expiresAt) }) : t('purchase.noEnd')}
        {term.daysLeft !== null && ` · ${t('assets.daysLeft', { count: term.daysLeft })}`}
      </p>
      <p className={css.muted}>
        <Link to={PURCHASE}>{t(plan ? 'assets.renew' : 'assets.plans')}</Link>
      </p>
    </Panel>
  )
}

function Bill({ assets: { charged } }: { assets: AssetsView }) {
  const { t } = useTranslation('money')
  const change =
    charged.before30Fen > 0 ? ((charged.last30Fen - charged.before30Fen) / charged.before30Fen) * 100 : null
  return (
    <Panel title={t('assets.month')}>
      <p className={css.big}>{formatMoney(charged.monthFen)}</p>
      <p className={css.muted}>
        {t('assets.last30', { amount: formatMoney(charged.last30Fen) })}
        {change !== null &&
          ` · ${t(change >= 0 ? 'assets.more' : 'assets.less', { percent: Math.abs(change).toFixed(1) })}`}
      </p>
      <p className={css.muted}>
        <Link to={`${CONSUMPTION}?tab=bills`}>{t('charge.bills')}</Link>
      </p>
    </Panel>
  )
}

function Charges() {
  const { t } = useTranslation('money')
  const { span, days } = useMemo(() => {
    const today = serverNow()
    const dayOf = (at: number) => {
      const date = new Date(at)
      const two = (n: number) => String(n).padStart(2, '0')
      return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
    }
    return {
      span: { from: new Date(today - 30 * DAY_MS).toISOString(), to: new Date(today + DAY_MS).toISOString() },
      days: Array.from({ length: 31 }, (_, at) => dayOf(today - (30 - at) * DAY_MS)),
    }
  }, [])
  const read = useRead('wallets.statements', { query: { by: 'day', split: 'item', ...span } })
  const shares = useMemo(() => {
    const sums = new Map<string, number>()
    for (const row of read.data?.items ?? []) sums.set(row.key, (sums.get(row.key) ?? 0) + row.amountFen)
    return [...sums].toSorted((a, b) => b[1] - a[1])
  }, [read.data])
  const total = read.data?.totalFen ?? 0
  return (
    <div className={css.two}>
      <Panel title={t('assets.charges')} hint={t('assets.last30', { amount: formatMoney(total) })}>
        {read.isError ? (
          <ErrorState error={read.error} onRetry={() => void read.refetch()} />
        ) : !read.data ? (
          <Skeleton active paragraph={{ rows: 4 }} />
        ) : read.data.items.length === 0 ? (
          <p className={css.muted}>{t('charge.emptyText')}</p>
        ) : (
          <ChargesChart rows={read.data.items} days={days} />
        )}
      </Panel>
      <Panel title={t('assets.parts')} actions={<Link to={CONSUMPTION}>{t('charge.title')}</Link>}>
        {shares.length === 0 ? (
          <p className={css.muted}>{t('charge.emptyText')}</p>
        ) : (
          <ul className={css.share}>
            {shares.map(([item, fen]) => (
              <li key={item}>
                <div className={css.line}>
                  <span>{t(`item.${item}`)}</span>
                  <span className={css.money}>{formatMoney(fen)}</span>
                </div>
                <div className={css.track}>
                  <span
                    style={{
                      width: `${total > 0 ? Math.min(100, (fen / total) * 100) : 0}%`,
                      background: colourOf(item),
                    }}
                  />
                </div>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </div>
  )
}

function Left({ assets }: { assets: AssetsView }) {
  const { t } = useTranslation('money')
  const { units, usage } = assets
  return (
    <Panel flush title={t('assets.left')}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t('assets.what')}</th>
            <th scope="col">{t('assets.usedOf')}</th>
            <th scope="col">{t('assets.batches')}</th>
            <th scope="col">{t('assets.act')}</th>
          </tr>
        </thead>
        <tbody>
          {units.map(unit => (
            <tr key={unit.kind}>
              <td>{t(`kind.${unit.kind}`)}</td>
              <td>
                {formatNumber(unit.total - unit.left)} / {formatNumber(unit.total)}
                <Progress
                  className={css.usage!}
                  percent={unit.total === 0 ? 0 : ((unit.total - unit.left) / unit.total) * 100}
                  showInfo={false}
                  size="small"
                  aria-label={t(`kind.${unit.kind}`)}
                />
              </td>
              <td>
                {unit.batches[0]
                  ? t('assets.batch', {
                      left: formatNumber(unit.left),
                      count: unit.batches.length,
                      date: formatDate(unit.batches[0].expiresAt),
                    })
                  : t('assets.noBatch')}
              </td>
              <td>
                <Link to={PACKS}>{t('buy')}</Link> <Link to={UNIT_USES}>{t('use.records')}</Link>
              </td>
            </tr>
          ))}
          {usage.map(({ kind, used, limit }) => {
            const amount = (value: number) => (kind === 'mediaBytes' ? formatBytes(value) : formatNumber(value))
            return (
              <tr key={kind}>
                <td>{t(`quota.${kind}`)}</td>
                <td>
                  {amount(used)} / {limit === null ? t('plan.noLimit') : amount(limit)}
                  {limit !== null && (
                    <Progress
                      className={css.usage!}
                      percent={limit === 0 ? 100 : Math.min(100, (used / limit) * 100)}
                      showInfo={false}
                      size="small"
                      aria-label={t(`quota.${kind}`)}
                    />
                  )}
                </td>
                <td>{t('assets.withPlan')}</td>
                <td>{assets.sells ? <Link to={PURCHASE}>{t('assets.expand')}</Link> : '–'}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Panel>
  )
}

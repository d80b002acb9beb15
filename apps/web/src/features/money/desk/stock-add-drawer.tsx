import { CARDS_PER_ORDER, SOLD_FORMS } from '@thingwright/contracts/money.words'
import { CARD_USES } from '@thingwright/contracts/sim-cards.words'
import { Alert } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'

interface Problem {
  line: number
  value: string
  message: string
}

/** Lines as people paste them from a table: ICCID, number, IMSI. Empty lines are left out. */
export function cardsOf(text: string): { iccid: string; msisdn?: string; imsi?: string }[] {
  return text
    .split(/\r?\n/)
    .map(line => line.split(/[\t,，;；]/).map(part => part.trim()))
    .filter(([iccid]) => iccid)
    .map(([iccid, msisdn, imsi]) => ({
      iccid: iccid!.slice(0, 64),
      ...(msisdn ? { msisdn: msisdn.slice(0, 64) } : {}),
      ...(imsi ? { imsi: imsi.slice(0, 64) } : {}),
    }))
}

/** Adds cards to the stock; lines that are wrong are named, the others are added. */
export function StockAddDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('money')
  const sources = useRead('cardDesk.sources', {})
  const add = useAct('cardDesk.addStock')
  const [problems, setProblems] = useState<Problem[]>([])
  const fields = useMemo<Field[]>(
    () => [
      {
        kind: 'enum',
        key: 'sourceId',
        label: t('cardDesk.source'),
        required: true,
        options: (sources.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
        loading: sources.isPending,
      },
      {
        kind: 'enum',
        key: 'form',
        label: t('card.formLabel'),
        required: true,
        half: true,
        options: SOLD_FORMS.map(value => ({ value, label: t(`card.form.${value}`) })),
      },
      {
        kind: 'enum',
        key: 'use',
        label: t('card.useLabel'),
        required: true,
        half: true,
        options: CARD_USES.map(value => ({ value, label: t(`card.use.${value}`) })),
      },
      {
        kind: 'string',
        key: 'list',
        label: t('cardDesk.list'),
        help: t('cardDesk.listHelp'),
        required: true,
        rows: 10,
        mono: true,
        check: value => {
          const count = cardsOf(String(value ?? '')).length
          return count === 0 || count > CARDS_PER_ORDER ? t('cardDesk.listRule') : null
        },
      },
    ],
    [t, sources.data, sources.isPending],
  )
  return (
    <FormDrawer
      title={t('cardDesk.addCards')}
      fields={fields}
      initial={FRESH}
      submitText={t('cardDesk.add')}
      intro={
        problems.length > 0 && (
          <Alert
            type="warning"
            showIcon
            title={t('cardDesk.problems', { count: problems.length })}
            description={
              <ul>
                {problems.slice(0, MOST_SHOWN).map(problem => (
                  <li key={problem.line}>{t('cardDesk.lineOf', { ...problem })}</li>
                ))}
              </ul>
            }
          />
        )
      }
      onSubmit={async ({ list, ...values }) => {
        const body = { ...values, cards: cardsOf(String(list)) } as Body<'cardDesk.addStock'>
        const result = await add.send({ body })
        notify.success(t('cardDesk.added', { added: result.added }))
        setProblems(result.problems)
        if (result.problems.length === 0) onClose()
      }}
      onClose={onClose}
    />
  )
}

const FRESH = { form: '2ff', use: 'single' }
const MOST_SHOWN = 20

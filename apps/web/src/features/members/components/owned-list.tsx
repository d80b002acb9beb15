import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import css from '../members.module.css'

/** What a member owns, by kind. */
export function useOwned(id: string) {
  return useRead(
    'members.owned',
    { params: { id } },
    { staleTime: 0, select: ({ items }) => items.filter(item => item.count > 0) },
  )
}

export function OwnedList({ owned }: { owned: ReturnType<typeof useOwned> }) {
  const { t } = useTranslation('members')
  if (owned.isError) return <p className={css.problem}>{errorFacts(owned.error).message}</p>
  if (!owned.data) return <Skeleton active title={false} paragraph={{ rows: 1 }} />
  if (owned.data.length === 0) return <p>{t('ownsNothing')}</p>
  return (
    <ul className={css.owned}>
      {owned.data.map(({ kind, count }) => (
        <li key={kind}>
          {t(`owned.${kind}`)} <b>{formatNumber(count)}</b>
        </li>
      ))}
    </ul>
  )
}

import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'

/** What a visitor has shown once: for the socket, for actions, and for other devices on the same page. */
export interface Ticket {
  pageId: string
  tenantId: string
  /** Epoch ms. */
  expiresAt: number
  epoch: number
  /** Devices that the visitor chose, by their roles. */
  devices: Record<string, string>
  /** The login that is signed in. */
  loginId: string | null
  /** The link that he came by. */
  linkId: string | null
}

const BEGINNING = 'twp_'
const HOURS = 12

export const isTicket = (text: string): boolean => text.startsWith(BEGINNING)

/** Tickets hold all they say, sealed: nothing is kept for visitors who only look. */
export function createTickets(box: CryptoBox, now: () => number) {
  return {
    give(ticket: Omit<Ticket, 'expiresAt'>): string {
      const whole: Ticket = { ...ticket, expiresAt: now() + HOURS * 3_600_000 }
      return BEGINNING + box.seal(JSON.stringify(whole), 'ticket').toString('base64url')
    },
    /** @returns null for one that is not ours or has ended */
    read(text: string): Ticket | null {
      if (!isTicket(text)) return null
      try {
        const ticket = JSON.parse(
          box.open(Buffer.from(text.slice(BEGINNING.length), 'base64url'), 'ticket').toString('utf8'),
        ) as Ticket
        return ticket.expiresAt > now() ? ticket : null
      } catch {
        return null
      }
    },
  }
}

export type Tickets = ReturnType<typeof createTickets>

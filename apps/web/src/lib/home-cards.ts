import i18n from 'i18next'
import type { ComponentType } from 'react'
import type { Operation } from './api-client.ts'

/** What all cards of the overview show: a span that ends now, or one that was chosen. Epoch ms. */
export interface HomeSpan {
  from: number
  to: number
}

export interface HomeCardProps {
  span: HomeSpan
  /** Puts the card away; arranging brings it back. */
  onHide: () => void
}

/**
 * A card of the overview. An area brings its cards by `features/<area>/home-cards.ts`, which exports `homeCards`; the
 * texts of the area are there before a card is drawn.
 */
export interface HomeCard {
  key: string
  /** Key of its name in the area's texts. */
  title: string
  /** Twelfths of the page's width. */
  width: 4 | 6 | 8 | 12
  /** What it is read with: who may not is told so, and asked for nothing. */
  of: Operation
  /** Its place among all cards as everybody meets them first. */
  order: number
  /** It comes and goes by itself, above all others, and draws its own frame: nobody gives it a place. */
  passing?: boolean
  load(): Promise<{ Card: ComponentType<HomeCardProps> }>
}

/** A card with the area that brings it, whose texts name it. */
export interface PlacedCard extends HomeCard {
  area: string
}

/** The name of a card in the language of the console. */
export function nameOfCard(card: PlacedCard): string {
  const { area, title } = card
  return i18n.t(title, { ns: area })
}

let loaders: () => Promise<readonly PlacedCard[]> = async () => []

/** Called once by the program, which knows every area. */
export function provideHomeCards(load: () => Promise<readonly PlacedCard[]>): void {
  loaders = load
}

/** Every card that there is, in the order in which everybody meets them, with the texts of their areas. */
export function allHomeCards(): Promise<readonly PlacedCard[]> {
  return loaders()
}

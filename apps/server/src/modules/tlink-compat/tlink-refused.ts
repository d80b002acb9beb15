/** A refusal in the words of that family. */
export class Refused extends Error {}

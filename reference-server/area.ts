/** A part of the service, with the parts and ports that it needs. */
export class Area<Needs> {
  protected readonly needs: Needs;

  constructor(needs: Needs) {
    this.needs = needs;
  }
}

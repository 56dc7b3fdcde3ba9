export interface DoctorOptions { readonly profile: string; readonly quiet?: true }
export async function doctorCommand(_options: DoctorOptions): Promise<number> { return 0; }

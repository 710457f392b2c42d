namespace Loxo.Session;

/// <summary>When statements are prepared without being asked.</summary>
/// <param name="Most">How many a session may keep prepared; 0 for none.</param>
/// <param name="MinUsages">With which use one is prepared; 1 is the first.</param>
internal sealed record AutoPrepareSettings(int Most, int MinUsages);

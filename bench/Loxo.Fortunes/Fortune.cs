namespace Loxo.Fortunes;

/// <summary>One row of the page.</summary>
internal readonly record struct Fortune(int Id, string Message);

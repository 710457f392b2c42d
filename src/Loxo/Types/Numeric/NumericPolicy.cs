namespace Loxo;

/// <summary>
/// What is done when a <c>numeric</c> is read that is too large or too precise for <see cref="decimal"/>, which has 28 digits. It is about
/// reading only, and not about <c>money</c>; a <see cref="decimal"/> is always written exactly.
/// </summary>
public enum NumericPolicy
{
    /// <summary>Too large is an error that names the column and what to read it as; too precise is one too. The default.</summary>
    Throw,

    /// <summary>
    /// Digits that <see cref="decimal"/> cannot hold are rounded off, half to even, from the end and never before the point. Too large, NaN
    /// and infinity are still errors.
    /// </summary>
    Round,

    /// <summary>
    /// A column of type <c>numeric</c> is read as <see cref="Loxo.PgNumeric"/> when no type is asked for; asking for decimal is as with
    /// <see cref="Throw"/>.
    /// </summary>
    PgNumeric,
}

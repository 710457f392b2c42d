namespace Loxo;

/// <summary>What is done with a <c>numeric</c> that is too large or too precise for <see cref="decimal"/>.</summary>
public enum NumericPolicy
{
    /// <summary>Too large is an error that names the column and what to read it as; too precise is one too. The default.</summary>
    Throw,

    /// <summary>Digits that <see cref="decimal"/> cannot hold are rounded off, half to even. Too large is still an error.</summary>
    Round,

    /// <summary>A column of type <c>numeric</c> is read as <c>PgNumeric</c> when no type is asked for; asking for decimal is as with <see cref="Throw"/>.</summary>
    PgNumeric,
}

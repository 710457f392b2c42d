using Loxo.Protocol;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>The parameter values of one statement, in the order of its placeholders.</summary>
internal interface IParameterValues
{
    /// <summary>How many there are; at most 65,535.</summary>
    int Count { get; }

    /// <summary>How the value is written: text only where there is no binary codec.</summary>
    FormatCode Format(int index);

    /// <summary>Writes one value, with its length in front.</summary>
    void Write(int index, MessageWriter writer);
}
